"""An archive as a file: .zip, or .tar with .gz, .xz, .zst or none. Equal content, equal bytes."""

from __future__ import annotations

import io
import lzma
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any

from cavern.errors import InputError

ENDINGS = (".tar.zst", ".zip", ".tar", ".tar.gz", ".tar.xz")
#: What an entry may be: a file of the machine, or what is written for the archive.
Content = Path | bytes
_MOMENT = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644
_BLOCK = 1 << 20
#: What those who unpack raise for a file that is damaged, or made by something else.
_DAMAGED = (
    EOFError,
    ValueError,
    RuntimeError,  # an entry with a password; NotImplementedError: packed in a way of its own
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)


def ending(path: Path) -> str:
    """How the archive is packed. Raises InputError for a name that does not say."""
    for known in ENDINGS:
        if path.name.endswith(known) and path.name != known:
            return known
    right = f"expected a name that ends in {', '.join(ENDINGS)}"
    raise InputError(path, 1, "is no name of an archive", right)


def write(path: Path, entries: Mapping[str, Content]) -> None:
    """Writes the entries, by their names in the archive, whole or not at all."""
    kind = ending(path)
    beside = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        (_write_zip if kind == ".zip" else _write_tar)(beside, kind, entries)
        beside.replace(path)
    except OSError as error:
        if error.filename in (None, beside, str(beside)):
            error.filename = str(path)
        raise InputError.of(error) from None
    finally:
        with suppress(OSError):
            beside.unlink()


def _write_zip(place: Path, _: str, entries: Mapping[str, Content]) -> None:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in sorted(entries.items()):
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = _MODE << 16
            with file.open(entry, "w", force_zip64=True) as into, _opened(content) as told:
                while block := told.read(_BLOCK):
                    into.write(block)


def _write_tar(place: Path, kind: str, entries: Mapping[str, Content]) -> None:
    with place.open("wb") as raw, _packing(raw, kind) as packed:
        with tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as file:
            for name, content in sorted(entries.items()):
                entry = tarfile.TarInfo(name)
                entry.size = len(content) if isinstance(content, bytes) else content.stat().st_size
                entry.mode = _MODE
                with _opened(content) as told:
                    file.addfile(entry, told)


def _opened(content: Content) -> Any:
    return io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")


def _packing(raw: Any, kind: str) -> Any:
    if kind == ".tar.gz":
        import gzip

        return gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)
    if kind == ".tar.xz":
        return lzma.LZMAFile(raw, "wb")
    if kind == ".tar.zst":
        import pyarrow as pa

        return pa.CompressedOutputStream(pa.PythonFile(raw, mode="w"), "zstd")
    return io.BufferedWriter(raw)


def is_below(name: str) -> bool:
    """Whether the name is a text that, seen from a folder, does not lead out of it."""
    path = PurePosixPath(name)
    is_text = "\0" not in name and name.encode(errors="replace").decode() == name
    return is_text and not path.is_absolute() and ".." not in path.parts


def unpack(path: Path, folder: Path) -> None:
    """Writes the entries into a folder. Raises InputError where the file is no archive, or an entry
    is anything but a file below the folder."""
    kind = ending(path)
    try:
        for name, content in (_in_zip if kind == ".zip" else _in_tar)(path, kind):
            if content is None or not is_below(name):
                raise ValueError(f"{name} is no file of an archive of results")
            # By hand: the Python of Debian 12 extracts without a filter alone.
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with content, place.open("wb") as into:
                shutil.copyfileobj(content, into)
    except (OSError, *_DAMAGED) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise InputError.of(error) from None
        right = "expected one that ./cavern archive wrote"
        raise InputError(path, 1, f"cannot be unpacked ({error})", right) from None


def _in_zip(path: Path, _: str) -> Iterator[tuple[str, IO[bytes] | None]]:
    with zipfile.ZipFile(path) as file:
        for entry in file.infolist():
            yield entry.filename, None if entry.is_dir() else file.open(entry)


def _in_tar(path: Path, kind: str) -> Iterator[tuple[str, IO[bytes] | None]]:
    with path.open("rb") as raw, _unpacking(raw, kind) as packed:
        with tarfile.open(fileobj=packed, mode="r|") as file:
            for entry in file:
                yield entry.name, file.extractfile(entry) if entry.isfile() else None


def _unpacking(raw: Any, kind: str) -> Any:
    if kind == ".tar.zst":
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")
    if kind == ".tar.xz":
        return lzma.LZMAFile(raw)
    if kind == ".tar.gz":
        import gzip

        return gzip.GzipFile(fileobj=raw)
    return raw
