"""A case: a drive, a load, and what is done to them. The same seed draws the same case."""

from __future__ import annotations

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
    """`settings`: of keys, beside SMALL. `rows`: lines of a trace. `text`: inputs that are spoilt,
    by the names of their files."""

    kind: str
    seed: int
    settings: dict[str, str]
    rows: tuple[str, ...]
    text: dict[str, bytes] = field(default_factory=dict)

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

    def inputs(self) -> list[str]:
        """The drive and the load of `cavern run`, in the folder of the case."""
        config = "drive.toml" if "drive.toml" in self.text else str(ROOT / BASE)
        for name in ("workload.toml", "job.fio"):
            if name in self.text:
                return [config, "--workload", name, "--limit", "200"]
        return [config, "--trace", "input.csv" if "input.csv" in self.text else "trace.csv"]

    def commands(self) -> str:
        """What plays it again, for a shell in an empty folder. CAVERN: the tree."""
        if self.kind == "serve":  # its clients are drawn from the seed
            given = [word for k, v in self.settings.items() for word in ("--set", f"{k}={v}")]
            again = ["soak", "serve", "--seeds", str(self.seed), "--no-shrink", *given]
            return f"$CAVERN/cavern {shlex.join(again)}"
        rows = r"\n".join(["time_us,op,offset,size", *self.rows, ""])
        lines = ["mkdir -p nand", f"printf '{rows}' > trace.csv"]
        for name, content in self.text.items():
            lines.append(f"printf {shlex.quote(_printable(content))} > {name}")
        for out, more in self._runs():
            words = shlex.join([*self.inputs(), "--out", out, *self.flags(), *more])
            line = f"CAVERN_CHECK_LAWS=1 $CAVERN/cavern run {words}"
            lines.append(line.replace(str(ROOT), "$CAVERN"))
        return "\n".join(lines)

    def _runs(self) -> list[tuple[str, list[str]]]:
        if self.kind != "pair":
            return [("run", [])]
        both = ["run", "untimed"]
        runs = [(out, ["--decisions", f"{out}/decisions.jsonl"]) for out in both]
        runs[1][1].extend(["--set", "fidelity=untimed"])
        return runs


def _printable(content: bytes) -> str:
    """For printf of a shell: octal escapes are what every one knows."""
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b"\\%" else f"\\{byte:03o}"
        for byte in content
    )
