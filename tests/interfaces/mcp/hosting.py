"""A host of MCP Apps on this machine: a page that plays the assistant, and the app in a sandboxed frame under
the policy that the specification gives for empty lists of domains."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'"
)


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # five, and a browser beside busy processes has its connections forgotten


@contextmanager
def hosting(app: str, host: str = "host.html", modules: Path | None = None) -> Iterator[str]:
    """The address of the page; the app stands at `/app` beside it, scripts of `modules` under `/npm/`."""
    host_page = (Path(__file__).parent / host).read_bytes()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # a host library comes in a hundred modules: not a connection for each

        def do_GET(self) -> None:
            is_app = self.path == "/app"
            body = app.encode() if is_app else host_page
            script = modules and self.path.startswith("/npm/") and modules / self.path.removeprefix("/npm/")
            if script:
                body = script.read_bytes()
            self.send_response(200 if script or self.path in ("/", "/app") else 404)
            kind = "text/javascript" if script else "text/html"
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            if is_app:
                self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
