"""A client of the network block device."""

from __future__ import annotations

import socket
import struct

READ, WRITE, DISCONNECT, FLUSH, TRIM, WRITE_ZEROES = 0, 1, 2, 3, 4, 6
FUA = 1


class Client:
    """Speaks the protocol as its public document has it; simple replies alone."""

    def __init__(self, path: str, *, handshake: bool = True, patience: float = 60) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(patience)
        self.socket.connect(path)
        self.cookie = 0
        if handshake:
            assert self.receive(18) == b"NBDMAGICIHAVEOPT\0\3"
            self.send(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 1, 0))
            self.size, self.flags = struct.unpack(">QH", self.receive(10))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError(data)
            data += more
        return data

    def ask(
        self, command: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0
    ) -> None:
        self.cookie += 1
        head = struct.pack(">IHHQQI", 0x25609513, flags, command, self.cookie, offset, length)
        self.send(head + data)

    def error(self) -> int:
        """Of the next reply."""
        magic, error, _ = struct.unpack(">IIQ", self.receive(16))
        assert magic == 0x67446698
        return error

    def read(self, offset: int, length: int) -> bytes:
        self.ask(READ, offset, length)
        assert self.error() == 0
        return self.receive(length)

    def write(self, offset: int, data: bytes, flags: int = 0) -> int:
        self.ask(WRITE, offset, len(data), data, flags)
        return self.error()

    def do(self, command: int, offset: int = 0, length: int = 0, flags: int = 0) -> int:
        self.ask(command, offset, length, flags=flags)
        return self.error()
