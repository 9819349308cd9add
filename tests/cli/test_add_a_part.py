"""The part and the drive of docs/add-a-part.md, as a reader would copy them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.programs import BIN, ROOT, Json, Program

WRITES = '[[job]]\nrw = "write"\nbs = "128KiB"\nsize = "4GiB"\nnumber_ios = 2000\niodepth = 32\n'


def blocks() -> list[str]:
    """What the page shows in TOML."""
    page = (ROOT / "docs" / "add-a-part.md").read_text(encoding="utf-8")
    return re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def with_values(part: str, values: str) -> str:
    """The part, with these lines in place of those of the same keys."""
    for line in values.splitlines():
        key = line.partition(" = ")[0]
        part, found = re.subn(rf"^{key} = .*$", line, part, flags=re.MULTILINE)
        if not found:
            part = part.replace("\n[bus]", f"{line}\n\n[bus]")
    return part


def written(folder: Path, part: str, drive: str) -> Json:
    """A run of the part in the drive."""
    (folder / "nand").mkdir(parents=True)
    (folder / "nand" / "my-mlc.toml").write_text(part)
    (folder / "my-drive.toml").write_text(drive)
    (folder / "job.toml").write_text(WRITES)
    program = Program(BIN / "cavern-sim", folder)
    return program.simulate("my-drive.toml", "out", "--workload", "job.toml")


def test_a_part_and_a_drive_of_the_page_write_at_the_speed_of_the_part(tmp_path: Path) -> None:
    part, one_shot, *_, drive = blocks()
    assert 'name = "my MLC' in part and "one_shot = true" in one_shot and "my-mlc" in drive
    assert written(tmp_path / "mlc", part, drive)["ftl"]["host_pages"] > 0
    part = part.replace("pages_per_block = 256", "pages_per_block = 258")
    sheet = 't_read = "61us"\nt_program = "2100us"\n'
    shot, paged = (
        written(tmp_path / name, with_values(part, values), drive)
        for name, values in (("shot", one_shot), ("paged", sheet))
    )
    assert sum(die["one_shots"] for die in shot["dies"]) > 0
    # Without the three page types, each page takes what the page says a word line takes.
    ratio = shot["host"]["bandwidth_bps"] / paged["host"]["bandwidth_bps"]
    assert 2.5 < ratio < 3.5, ratio
