"""A store of objects on this machine that speaks as much of S3 as `ObjectBlobs` says: put, get, head, delete,
list."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


class ObjectRequests(BaseHTTPRequestHandler):
    """`objects`: what is stored, by its path with the bucket. `deny`: nobody is let in."""

    protocol_version = "HTTP/1.1"
    objects: ClassVar[dict[str, bytes]]
    deny: ClassVar[bool] = False

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.deny:
            self.objects[self._name()] = data
        self._reply(403 if self.deny else 200)

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        if "list-type" in query:
            bucket = self._name().strip("/")
            self._reply(200, self._listed(bucket, query.get("prefix", [""])[0]))
            return
        data = self.objects.get(self._name())
        self._reply(403 if self.deny else 404 if data is None else 200, data or b"")

    do_HEAD = do_GET

    def do_DELETE(self) -> None:
        self.objects.pop(self._name(), None)
        self._reply(204)

    def do_POST(self) -> None:
        """What is deleted by the list."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        bucket = self._name().strip("/")
        names = [part.partition("</Key>")[0] for part in body.split("<Key>")[1:]]
        for name in names:
            self.objects.pop(f"/{bucket}/{name}", None)
        deleted = "".join(f"<Deleted><Key>{escape(name)}</Key></Deleted>" for name in names)
        self._reply(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is said."""

    def _name(self) -> str:
        return unquote(urlsplit(self.path).path)

    def _listed(self, bucket: str, prefix: str) -> bytes:
        entries = [
            f"<Contents><Key>{escape(name.removeprefix(f'/{bucket}/'))}</Key><Size>{len(data)}</Size>"
            '<LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"1"</ETag></Contents>'
            for name, data in sorted(self.objects.items())
            if name.startswith(f"/{bucket}/{prefix}")
        ]
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{''.join(entries)}</ListBucketResult>".encode()

    def _reply(self, status: int, data: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Last-Modified", formatdate(1_800_000_000, usegmt=True))
        self.send_header("ETag", '"1"')
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@contextmanager
def object_server(*, deny: bool = False) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Its address and what it stores."""
    objects: dict[str, bytes] = {}
    handler = type("Handler", (ObjectRequests,), {"objects": objects, "deny": deny})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", objects
    finally:
        server.shutdown()
        server.server_close()
