"""A modelled drive from Python: the C interface by ctypes.

python3 cavern_drive.py /where/cavern/is/lib/libcavern.so tlc-nvme.toml
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator

READ, WRITE, TRIM, WRITE_ZEROES, FLUSH = range(5)
NEVER = 2**64 - 1


class Request(ctypes.Structure):
    """cavern_request"""

    _fields_ = (
        ("op", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("offset", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
        ("tag", ctypes.c_uint64),
    )


class Completion(ctypes.Structure):
    """cavern_completion; times in picoseconds"""

    _fields_ = (
        ("tag", ctypes.c_uint64),
        ("status", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("submitted", ctypes.c_uint64),
        ("completed", ctypes.c_uint64),
    )


class Drive:
    """The one drive of this process."""

    def __init__(self, library: str, config: str, *overrides: str) -> None:
        self._c = ctypes.CDLL(library)
        self._c.cavern_open.restype = ctypes.c_void_p
        self._c.cavern_error.restype = ctypes.c_char_p
        for name in ("cavern_capacity", "cavern_now", "cavern_next_event"):
            getattr(self._c, name).restype = ctypes.c_uint64
        texts = (ctypes.c_char_p * (len(overrides) + 1))(*(text.encode() for text in overrides))
        opened = self._c.cavern_open(config.encode(), texts)
        if opened is None:
            raise ValueError(self._c.cavern_error(None).decode())
        self._drive = ctypes.c_void_p(opened)
        self._buffers: dict[int, ctypes.Array[ctypes.c_char]] = {}

    @property
    def capacity(self) -> int:
        return int(self._c.cavern_capacity(self._drive))

    @property
    def now(self) -> int:
        return int(self._c.cavern_now(self._drive))

    def _check(self, result: int) -> None:
        if result != 0:
            raise RuntimeError(self._c.cavern_error(self._drive).decode())

    def submit(self, op: int, offset: int, size: int, tag: int, data: bytes = b"") -> None:
        """Asks for something now; what is read comes with the completion."""
        buffer = ctypes.create_string_buffer(data, max(size, 1))
        request = Request(op, 0, offset, size, ctypes.addressof(buffer), tag)
        self._check(self._c.cavern_submit(self._drive, ctypes.byref(request)))
        self._buffers[tag] = buffer

    def step_to(self, time: int) -> None:
        self._check(self._c.cavern_step_to(self._drive, ctypes.c_uint64(time)))

    def completions(self) -> Iterator[tuple[Completion, bytes]]:
        """What has completed, with its data."""
        done = Completion()
        while self._c.cavern_poll(self._drive, ctypes.byref(done)) == 1:
            yield done, self._buffers.pop(done.tag).raw
            done = Completion()

    def wait(self) -> list[tuple[Completion, bytes]]:
        """Lets time pass until something completes."""
        limit = ctypes.c_uint64(NEVER)
        self._check(self._c.cavern_step_to_completion(self._drive, limit))
        return list(self.completions())

    def close(self) -> None:
        if self._c.cavern_close(self._drive) != 0:
            raise RuntimeError(self._c.cavern_error(None).decode())


def main(library: str, config: str, *overrides: str) -> int:
    drive = Drive(library, config, *overrides)
    text = b"every byte lies at its physical page".ljust(4096)
    drive.submit(WRITE, 0, 4096, 1, text)
    ((written, _),) = drive.wait()
    drive.submit(FLUSH, 0, 0, 2)
    ((flushed, _),) = drive.wait()
    drive.submit(READ, 0, 4096, 3)
    ((read, data),) = drive.wait()
    for name, done in (("write", written), ("flush", flushed), ("read", read)):
        print(f"{name} {(done.completed - done.submitted) / 1e6:.1f} us")
    drive.close()
    return 0 if data == text else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
