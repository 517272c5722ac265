"""Attacks of a server on its clients, one script each.

A script starts after the request's head is read, writes arbitrary bytes to the connection, and ends when the
client has disconnected. The caller closes the connection.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
import zlib
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress

Script = Callable[[StreamReader, StreamWriter], Awaitable[None]]

_GIGABYTE = 2**30
_HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
_PAGE = b"<!doctype html><title>page</title><p>" + "落ち着いた文章です。".encode() * 100


async def slow_loris(reader: StreamReader, writer: StreamWriter) -> None:
    """Send a header every second, forever."""
    await _send(writer, b"HTTP/1.1 200 OK\r\n")
    number = 0
    while True:
        await asyncio.sleep(1)
        await _send(writer, b"X-%d: slow\r\n" % number)
        number += 1


async def one_byte_a_second(reader: StreamReader, writer: StreamWriter) -> None:
    await _send(writer, _HTML + b"Content-Length: 1000000\r\n\r\n")
    while True:
        await asyncio.sleep(1)
        await _send(writer, b"a")


async def redirect_loop(reader: StreamReader, writer: StreamWriter) -> None:
    """Redirect to the requested address itself."""
    await _send(writer, b"HTTP/1.1 302 Found\r\nLocation: ?\r\nContent-Length: 0\r\n\r\n")


async def endless_redirects(reader: StreamReader, writer: StreamWriter) -> None:
    """Redirect each time to a new address."""
    await _send(writer, b"HTTP/1.1 302 Found\r\nLocation: further/\r\nContent-Length: 0\r\n\r\n")


async def endless_headers(reader: StreamReader, writer: StreamWriter) -> None:
    await _send(writer, b"HTTP/1.1 200 OK\r\n")
    while True:
        await _send(writer, b"".join(b"X-%d: %s\r\n" % (number, b"h" * 50) for number in range(1000)))


async def endless_interim_answers(reader: StreamReader, writer: StreamWriter) -> None:
    """Send interim responses without end: HTTP allows any number of them."""
    while True:
        await _send(writer, b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000)


async def endless_trailers(reader: StreamReader, writer: StreamWriter) -> None:
    """Send a complete page, followed by endless trailers."""
    await _send(writer, _HTML + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n" % (len(_PAGE), _PAGE))
    while True:
        await _send(writer, b"X-Trailer: %s\r\n" % (b"t" * 50) * 1000)


async def ten_gigabytes(reader: StreamReader, writer: StreamWriter) -> None:
    """Send HTML in chunks without a declared length."""
    piece = b"<p>" + b"x" * 65_533
    await _send(writer, _HTML + b"Transfer-Encoding: chunked\r\n\r\n")
    for _ in range(10 * _GIGABYTE // len(piece)):
        await _send(writer, b"%x\r\n%s\r\n" % (len(piece), piece))
    await _send(writer, b"0\r\n\r\n")


async def crumbs(reader: StreamReader, writer: StreamWriter) -> None:
    """Send chunks of one byte at full speed: the client has work with each of them."""
    await _send(writer, _HTML + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        await _send(writer, b"1\r\na\r\n" * 10_000)


async def packed_crumbs(reader: StreamReader, writer: StreamWriter) -> None:
    """Send gzip data in one-byte chunks that never decompress to any text."""
    await _send(writer, _HTML + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
    await _send(writer, b"a\r\n\x1f\x8b\x08" + bytes(6) + b"\xff\r\n")
    empty_block = b"".join(b"1\r\n%c\r\n" % byte for byte in b"\x00\x00\x00\xff\xff")
    while True:
        await _send(writer, empty_block * 2_000)


async def gzip_bomb(reader: StreamReader, writer: StreamWriter) -> None:
    """Send ten gigabytes of zeros compressed to ten megabytes."""
    await _send(writer, _HTML + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n")
    async for piece in _stream_bomb():
        await _send(writer, piece)


async def pdf_bomb(reader: StreamReader, writer: StreamWriter) -> None:
    """Send a bomb with the media type that has the largest limit."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
    await _send(writer, head)
    async for piece in _stream_bomb():
        await _send(writer, piece)


async def stacked_encodings(reader: StreamReader, writer: StreamWriter) -> None:
    """Send gzip in gzip, each with a factor of a thousand."""
    body = gzip.compress(gzip.compress(bytes(2**20)))
    await _send(
        writer,
        _HTML + b"Content-Encoding: gzip, gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body,
    )


async def unknown_encoding(reader: StreamReader, writer: StreamWriter) -> None:
    """Use an encoding that the client did not accept."""
    await _send(writer, _HTML + b"Content-Encoding: br\r\nContent-Length: 4\r\n\r\n\x0b\x00\x80\x03")


async def cut_off_gzip(reader: StreamReader, writer: StreamWriter) -> None:
    body = gzip.compress(_PAGE)[:-20]
    await _send(writer, _HTML + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


async def too_short(reader: StreamReader, writer: StreamWriter) -> None:
    """Send less than the declared Content-Length."""
    await _send(writer, _HTML + b"Content-Length: %d\r\n\r\n" % (2 * len(_PAGE)) + _PAGE)


async def two_lengths(reader: StreamReader, writer: StreamWriter) -> None:
    """Send two different Content-Length headers."""
    await _send(writer, _HTML + b"Content-Length: 5\r\nContent-Length: %d\r\n\r\n" % len(_PAGE) + _PAGE)


async def reset(reader: StreamReader, writer: StreamWriter) -> None:
    """Reset the connection in the middle of the body."""
    await _send(writer, _HTML + b"Content-Length: 1000000\r\n\r\n" + _PAGE)
    await asyncio.sleep(0.05)
    with suppress(OSError, AttributeError):  # closing a socket with zero linger resets the connection
        writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
    writer.transport.abort()


async def deep(reader: StreamReader, writer: StreamWriter) -> None:
    """Send a hundred thousand nested elements."""
    await _send_page(writer, b"<div>" * 100_000 + _PAGE)


async def attributes(reader: StreamReader, writer: StreamWriter) -> None:
    """Send a tag with fifty thousand attributes."""
    await _send_page(
        writer, b"<div " + b" ".join(b"a%d=1" % number for number in range(50_000)) + b">" + _PAGE
    )


async def nonsense(reader: StreamReader, writer: StreamWriter) -> None:
    """Send no HTTP at all."""
    await _send(writer, b"220 mail.example ESMTP ready\r\n" * 10)


async def never(reader: StreamReader, writer: StreamWriter) -> None:
    """Send nothing until the client disconnects."""
    await reader.read()


SCRIPTS: Mapping[str, Script] = {
    script.__name__: script
    for script in (
        slow_loris,
        one_byte_a_second,
        redirect_loop,
        endless_redirects,
        endless_headers,
        endless_interim_answers,
        endless_trailers,
        ten_gigabytes,
        crumbs,
        packed_crumbs,
        gzip_bomb,
        pdf_bomb,
        stacked_encodings,
        unknown_encoding,
        cut_off_gzip,
        too_short,
        two_lengths,
        reset,
        deep,
        attributes,
        nonsense,
        never,
    )
}


async def play(name: str, reader: StreamReader, writer: StreamWriter) -> None:
    """Run a script until it ends, usually because the client disconnected.

    Raises: KeyError if it is unknown.
    """
    with suppress(ConnectionError):
        await SCRIPTS[name](reader, writer)


async def _send_page(writer: StreamWriter, body: bytes) -> None:
    await _send(writer, _HTML + b"Content-Length: %d\r\n\r\n" % len(body) + body)


async def _send(writer: StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()
    await asyncio.sleep(0)  # drain() does not yield to other tasks if the client reads fast


async def _stream_bomb() -> AsyncIterator[bytes]:
    # A full flush ends an independent block, so one megabyte is compressed once and sent many times.
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    yield packer.compress(b"<p>") + packer.flush(zlib.Z_FULL_FLUSH)
    megabyte = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    for _ in range(10 * 2**10):
        yield megabyte
