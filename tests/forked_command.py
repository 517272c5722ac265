"""A command line that becomes `shisho` in a process forked from one that has loaded it: for who starts a
program by its name and talks to it over standard streams. Loads next to nothing itself.

    python -I -S forked_command.py SOCKET WORD…"""

import json
import os
import signal
import socket
import struct
import sys

NUMBER = struct.Struct("!i")


def main() -> int:
    path, *words = sys.argv[1:]
    replies, reply = os.pipe()
    request = json.dumps([words, dict(os.environ), os.getcwd()]).encode()  # noqa: PTH109
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        socket.send_fds(server, [NUMBER.pack(len(request))], [0, 1, 2, reply])
        server.sendall(request)
    for descriptor in (0, 1, 2, reply):  # the end of its input is the command's to see
        os.close(descriptor)
    pid = NUMBER.unpack(os.read(replies, NUMBER.size))[0]
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(pid, number))
    code = NUMBER.unpack(os.read(replies, NUMBER.size))[0]
    return int(code) if code >= 0 else 128 - code


if __name__ == "__main__":
    os._exit(main())
