"""Files that the simulator packs where their names end in .gz or .zst."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from cavern.errors import InputError

ENDINGS = ("", ".gz", ".zst")


def packed_or_plain(path: Path) -> Path | None:
    """The file, or what it is called when it is packed; None where there is none of them."""
    places = (path.with_name(path.name + ending) for ending in ENDINGS)
    return next((place for place in places if place.is_file()), None)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Its bytes, unpacked. Raises OSError where it cannot be read, InputError where what was packed
    is damaged, or cut short."""
    try:
        with _stream(path) as file:
            yield file
    except (EOFError, zlib.error) as error:
        raise _damaged(path, error) from None
    except OSError as error:  # gzip's and pyarrow's have no number
        if error.errno is not None or path.suffix not in ENDINGS[1:]:
            raise
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(path, 1, f"cannot be unpacked ({error})", "expected a whole file")


def _stream(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return gzip.open(path)  # type: ignore[return-value]
    if path.suffix == ".zst":
        # Imported here: it takes a moment, and few files are packed so.
        import pyarrow as pa

        return io.BufferedReader(pa.CompressedInputStream(path, "zstd"))
    return path.open("rb")
