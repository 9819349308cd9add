"""A case: a drive, a load, and what is done to them. The same seed draws the same case."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path

from cavern.simulator import ROOT

BASE = "configs/conventional.toml"
#: Small enough to collect all the time.
SMALL = {
    "nand.channels": "2",
    "nand.ways": "2",
    "nand.blocks_per_plane": "16",
    "nand.pages_per_block": "8",
    "ftl.overprovision": "0.55",
    "buffer.policy": "lru-page",
    "buffer.size": "32KiB",
    "dram.size": "4MiB",
    "workload.out_of_range": "wrap",
}


@dataclass(frozen=True)
class Case:
    """`settings`: of keys, beside SMALL. `rows`: lines of a trace. `text`: inputs of its own, by
    the names of their files. `links`: where they lead; one that begins with = is hard. `outputs`:
    files that are asked for, by option; @ is the folder of the case."""

    kind: str
    seed: int
    settings: dict[str, str]
    rows: tuple[str, ...]
    text: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)

    def without(self, key: str) -> Case:
        return replace(self, settings={k: v for k, v in self.settings.items() if k != key})

    def set(self, **settings: str) -> Case:
        """Keys with __ for their dots."""
        more = {key.replace("__", "."): value for key, value in settings.items()}
        return replace(self, settings={**self.settings, **more})

    def spoilt(self, name: str, content: bytes) -> Case:
        return replace(self, text={**self.text, name: content})

    def flags(self) -> list[str]:
        """Without what SMALL would say of a setting that is given."""
        small = {k: v for k, v in SMALL.items() if k not in self.settings}
        return [
            word for k, v in {**small, **self.settings}.items() for word in ("--set", f"{k}={v}")
        ]

    def write(self, folder: Path) -> None:
        (folder / "trace.csv").write_text("\n".join(["time_us,op,offset,size", *self.rows, ""]))
        for name, content in self.text.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
        for name, to in self.links.items():
            (folder / name).parent.mkdir(exist_ok=True)
            if to.startswith("="):
                os.link(folder / to[1:], folder / name)
            else:
                (folder / name).symlink_to(to)

    def inputs(self) -> list[str]:
        """The drive and the load of `cavern run`, in the folder of the case."""
        config = "drive.toml" if "drive.toml" in self.text else str(ROOT / BASE)
        for name in ("workload.toml", "job.fio"):
            if name in self.text:
                return [config, "--workload", name, "--limit", "200"]
        return [config, "--trace", "input.csv" if "input.csv" in self.text else "trace.csv"]

    def commands(self) -> str:
        """What plays it again, for a shell in an empty folder. CAVERN: the tree."""
        if self.kind in ("serve", "debug"):  # its clients are drawn from the seed
            given = [word for k, v in self.settings.items() for word in ("--set", f"{k}={v}")]
            again = ["soak", self.kind, "--seeds", str(self.seed), "--no-shrink", *given]
            return f"$CAVERN/cavern {shlex.join(again)}"
        rows = r"\n".join(["time_us,op,offset,size", *self.rows, ""])
        lines = ["mkdir -p nand run", f"printf '{rows}' > trace.csv"]
        for name, content in self.text.items():
            lines.append(f"printf {shlex.quote(_printable(content))} > {name}")
        for name, to in self.links.items():
            how = "ln" if to.startswith("=") else "ln -s"
            lines.append(f"{how} {shlex.quote(to.removeprefix('='))} {shlex.quote(name)}")
        runs = [self.command()]
        if self.kind == "pair":
            runs = [replace(self, outputs={"decisions": "run/decisions"}).command()]
            runs += [replace(self, outputs={"decisions": "untimed/decisions"}).command("untimed")]
            runs[1] += ["--set", "fidelity=untimed"]
        for words in runs:
            line = f"CAVERN_CHECK_LAWS=1 $CAVERN/cavern {shlex.join(words)}"
            lines.append(line.replace(str(ROOT), "$CAVERN").replace("@/", "$PWD/"))
        return "\n".join(lines)

    def command(self, out: str = "run") -> list[str]:
        """The words of it, behind the program's name."""
        begin = ["run", *self.inputs()]
        if "img" in self.text:
            begin = ["serve", "drive.toml", "--image", "img", "--run", "true"]
        logs = [word for name, path in self.outputs.items() for word in (f"--{name}", path)]
        return [*begin, "--out", out, *self.flags(), *logs]


def _printable(content: bytes) -> str:
    """For printf of a shell: octal escapes are what every one knows."""
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b"\\%" else f"\\{byte:03o}"
        for byte in content
    )
