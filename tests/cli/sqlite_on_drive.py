"""SQLite on a served drive without a file system: its files lie at fixed places of the drive. What
it writes may be lost, whole or by sectors and in any order, until it syncs, as SQLite's own crash
tests have it (test6.c of its sources). As a program: transactions that end in a crash.

    python -m tests.cli.sqlite_on_drive SOCKET JOURNAL SEED CRASH BROKEN

It prints the number of each transaction that SQLite says is committed, and is gone in the middle of
the sync number CRASH. BROKEN, if not empty, are the files whose syncs do nothing: the control.
"""

from __future__ import annotations

import os
import random
import struct
import sys

import apsw

from tests.cli.serving import FLUSH, Client

SECTOR = 512
#: Where each file begins; its first sector says whether it is there, and its size.
PLACES = {"database": 0, "database-journal": 2 << 20, "database-wal": 4 << 20}
ROOM = 2 << 20


class Drive:
    """The files, as the program sees them, and which of their sectors have not been synced."""

    def __init__(self, client: Client, rng: random.Random, crash: int, broken: str) -> None:
        self.client = client
        self.rng = rng
        self.syncs_left = crash
        self.broken = broken
        self.files = {name: bytearray(self._load(name)) for name in PLACES}
        self.dirty: dict[str, set[int]] = {name: set() for name in PLACES}
        self.mounted: object = None

    def _load(self, name: str) -> bytes:
        head = self.client.read(PLACES[name], SECTOR)
        _, size = struct.unpack_from("<QQ", head)
        sectors = -(-size // SECTOR)
        return head + (self.client.read(PLACES[name] + SECTOR, sectors * SECTOR) if size else b"")

    def state(self, name: str) -> tuple[int, int]:
        """Whether it is there, and its size."""
        there, size = struct.unpack_from("<QQ", self.files[name])
        return there, size

    def set_state(self, name: str, there: int, size: int) -> None:
        struct.pack_into("<QQ", self.files[name], 0, there, size)
        self.dirty[name].add(0)

    def read(self, name: str, offset: int, count: int) -> bytes:
        _, size = self.state(name)
        return bytes(self.files[name][SECTOR + offset : SECTOR + min(offset + count, size)])

    def write(self, name: str, offset: int, data: bytes) -> None:
        assert SECTOR + offset + len(data) <= ROOM
        file = self.files[name]
        _, size = self.state(name)
        end = -(-(SECTOR + offset + len(data)) // SECTOR) * SECTOR
        file.extend(bytes(max(0, end - len(file))))
        file[SECTOR + offset : SECTOR + offset + len(data)] = data
        self.dirty[name].update(range(1 + offset // SECTOR, end // SECTOR))
        if offset + len(data) > size:
            self.set_state(name, 1, offset + len(data))

    def truncate(self, name: str, there: int, size: int) -> None:
        if size < self.state(name)[1]:
            last = -(-size // SECTOR)
            self.files[name][SECTOR + size :] = bytes(len(self.files[name]) - SECTOR - size)
            self.dirty[name] = {sector for sector in self.dirty[name] if sector <= last}
        self.set_state(name, there, size)

    def sync(self, name: str) -> None:
        self.syncs_left -= 1
        if self.syncs_left == 0:
            self.crash()
        if name in self.broken:
            return
        for sector in sorted(self.dirty[name]):
            self._put(name, sector)
        self.dirty[name].clear()
        assert self.client.do(FLUSH) == 0

    def crash(self) -> None:
        """Some of what was not synced reaches the drive, in any order; then the process is gone."""
        left = [(name, sector) for name in PLACES for sector in sorted(self.dirty[name])]
        self.rng.shuffle(left)
        for name, sector in left[: self.rng.randrange(len(left) + 1)]:
            self._put(name, sector)
        self.client.ask(1, 0, SECTOR, b"half a request")  # whose rest never comes
        os._exit(9)

    def _put(self, name: str, sector: int) -> None:
        data = bytes(self.files[name][sector * SECTOR : (sector + 1) * SECTOR])
        assert self.client.write(PLACES[name] + sector * SECTOR, data) == 0


class File:
    """An open file, for SQLite. One process has it, so locks are always free."""

    def __init__(self, drive: Drive, name: str) -> None:
        self.drive = drive
        self.name = name

    def xRead(self, amount: int, offset: int) -> bytes:
        return self.drive.read(self.name, offset, amount)

    def xWrite(self, data: bytes, offset: int) -> None:
        self.drive.write(self.name, offset, bytes(data))

    def xTruncate(self, size: int) -> None:
        self.drive.truncate(self.name, 1, size)

    def xSync(self, flags: int) -> None:
        self.drive.sync(self.name)

    def xFileSize(self) -> int:
        return self.drive.state(self.name)[1]

    def xLock(self, level: int) -> None: ...

    def xUnlock(self, level: int) -> None: ...

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, op: int, pointer: int) -> bool:
        return False

    def xSectorSize(self) -> int:
        return SECTOR

    def xDeviceCharacteristics(self) -> int:
        return 0

    def xClose(self) -> None: ...


class Files(apsw.VFS):
    """The drive as SQLite's file system."""

    def __init__(self, drive: Drive) -> None:
        super().__init__("drive", "unix")
        self.drive = drive

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> File:  # type: ignore[override]
        path = name if isinstance(name, str) else name.filename() if name else ""
        file = os.path.basename(path)
        if not self.drive.state(file)[0]:
            self.drive.set_state(file, 1, 0)
        flags[1] = flags[0]
        return File(self.drive, file)

    def xDelete(self, name: str, sync_folder: bool) -> None:
        file = os.path.basename(name)
        self.drive.truncate(file, 0, 0)
        if sync_folder:
            self.drive.sync(file)

    def xAccess(self, name: str, flags: int) -> bool:
        return bool(self.drive.state(os.path.basename(name))[0])

    def xFullPathname(self, name: str) -> str:
        return f"/{os.path.basename(name)}"


def connect(drive: Drive, journal: str) -> apsw.Connection:
    """Replays what a crash has left."""
    drive.mounted = Files(drive)  # SQLite keeps no reference
    database = apsw.Connection("/database", vfs="drive")
    database.execute("pragma locking_mode = exclusive")
    database.execute("pragma cache_size = 5")  # pages go to the file before they are committed
    # With full, a journal that was deleted can be back after a crash, and undoes what it is of.
    database.execute("pragma synchronous = extra")
    database.execute(f"pragma journal_mode = {journal}")
    database.execute("pragma wal_autocheckpoint = 40")
    return database


def look(database: apsw.Connection) -> int:
    """How many transactions are in it; it is sound."""
    assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
    if not database.execute("select count(*) from sqlite_schema").get:
        return 0
    count, total, entries, sums = database.execute(
        "select count(*), coalesce(sum(k), 0), (select entries from totals),"
        " (select sum from totals) from entries"
    ).get
    assert (count, total) == (entries, sums)
    return int(count)


def transact(database: apsw.Connection, rng: random.Random) -> None:
    """Until the crash."""
    if not database.execute("select count(*) from sqlite_schema").get:
        with database:
            database.execute("create table entries (k integer primary key, filler blob)")
            database.execute("create table totals (entries integer, sum integer)")
            database.execute("insert into totals values (0, 0)")
    k = look(database)
    while True:
        k += 1
        with database:
            database.execute("insert into entries values (?, ?)", (k, rng.randbytes(900)))
            for _ in range(rng.randrange(6)):
                row = rng.randrange(1, k + 1)
                database.execute(
                    "update entries set filler = ? where k = ?",
                    (rng.randbytes(rng.randrange(3000)), row),
                )
            database.execute("update totals set entries = entries + 1, sum = sum + ?", (k,))
        print(k, flush=True)


if __name__ == "__main__":
    path, journal_mode, seed, crash_at, broken_files = sys.argv[1:]
    chance = random.Random(int(seed))
    with Client(path) as nbd:
        transact(connect(Drive(nbd, chance, int(crash_at), broken_files), journal_mode), chance)
