"""One simulation with several seeds: a run each, and what they say together."""

from __future__ import annotations

import json
import math
import os
import shutil
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.plots.compared import compared
from cavern.plots.files import write_file
from cavern.plots.finding import REPEAT, SCHEMA, Group, folders_of, load_group
from cavern.simulator import ask, outputs
from cavern.sweeps.execute import only_one, play_all
from cavern.verdicts.intervals import LEVEL

LARGEST_SEED = 2**63 - 1
#: Below the folder of the results, while they are made.
_PARTS = ".part"


@dataclass(frozen=True)
class Words:
    """The words of `run`, without flags, --seed, --out and --repeat: pairs of an option and its
    value. A configuration has no option."""

    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, words: Sequence[str]) -> Words:
        pairs, left = [], list(words)
        while left:
            word = left.pop(0)
            option, equals, value = word.partition("=")
            if not word.startswith("--"):
                pairs.append(("", word))
            elif equals or not left:
                pairs.append((option, value))
            else:
                pairs.append((option, left.pop(0)))
        return cls(tuple(pairs))

    def check(self, out: Path) -> None:
        """Raises InputError where several runs cannot have what one could."""
        for option, value in self.pairs:
            if option == "--gdb":
                raise _usage("--gdb waits for a debugger in each of the runs", "one run")
            if (option, value) == ("--trace", "-"):
                what = "--trace - is read by the first of the runs alone"
                raise _usage(what, "the name of a file")
            if option.removeprefix("--") in outputs() and _below(Path(value), out) is None:
                what = f"{option} names one file for several runs"
                raise _usage(what, f"one in {out}, which each of them gets in a folder of its own")

    def of_run(self, out: Path, folder: Path) -> list[str]:
        """For the run in that folder, below `out`."""
        words = []
        for option, value in self.pairs:
            if option.removeprefix("--") in outputs():
                value = str(folder / (_below(Path(value), out) or value))
            words += [part for part in (option, value) if part]
        return words

    def configured_seed(self) -> int:
        """That of the configuration. Raises SimulatorError where there is none that can be read."""
        words = [word for pair in self.pairs if pair[0] in ("", "--set") for word in pair if word]
        seed: int = tomllib.loads(ask(["config", "show", *words]))["seed"]
        return seed


def _usage(what: str, right: str) -> InputError:
    return InputError("<command line>", 1, what, f"expected {right}")


def _below(path: Path, out: Path) -> Path | None:
    path, out = Path(os.path.abspath(path)), Path(os.path.abspath(out))
    return path.relative_to(out) if path.is_relative_to(out) else None


def repeat(
    words: Words,
    out: Path,
    count: int,
    seed: int | None = None,
    on_done: Callable[[int], None] = lambda done: None,
) -> Group:
    """Plays the seeds `seed`, `seed` + 1, ..., as many runs at a time as there are cores, each into
    `out`/seed-N, and writes `out`/repeat.json. `on_done` is told how many have ended.

    What an earlier repeat left is replaced when all have ended. Raises SimulatorError with the
    first run that fails."""
    words.check(out)
    first = words.configured_seed() if seed is None else seed
    seeds = range(first, first + count)
    if seeds[-1] > LARGEST_SEED:
        raise _usage(f"seed {seeds[-1]} is too large", f"seeds up to {LARGEST_SEED}")
    if (out / "summary.json").exists():
        right = "expected another folder with --out"
        raise InputError(out, 1, "holds the results of a single run", right)
    folders = [out / f"seed-{one}" for one in seeds]
    parts = [out / _PARTS / folder.name for folder in folders]
    runs = [
        ["run", *words.of_run(out, part), "--seed", str(number), "--out", str(part)]
        for number, part in zip(seeds, parts, strict=True)
    ]
    is_new = not out.exists()
    with only_one(out):
        shutil.rmtree(out / _PARTS, ignore_errors=True)  # of one that was killed
        try:
            earlier = folders_of(out) if (out / REPEAT).exists() else []
            play_all(runs, on_done)
            for part in parts:
                _say_where(part)
            # Without it, what a kill leaves here is no repeat.
            (out / REPEAT).unlink(missing_ok=True)
            for folder in {*earlier, *folders}:
                shutil.rmtree(folder, ignore_errors=True)
            for part, folder in zip(parts, folders, strict=True):
                part.rename(folder)
            group = load_group(out, folders)
            write_file(out / REPEAT, record(group, list(seeds)).encode())
        except BaseException:
            if is_new:
                shutil.rmtree(out, ignore_errors=True)
            raise
        finally:
            shutil.rmtree(out / _PARTS, ignore_errors=True)
    return group


def _say_where(part: Path) -> None:
    """The command in its summary names the folder that it is moved to."""
    summary, made = part / "summary.json", f"{_PARTS}/{part.name}"
    write_file(summary, summary.read_bytes().replace(made.encode(), part.name.encode()))


def record(group: Group, seeds: list[int]) -> str:
    """repeat.json: of each measure its mean, half of its interval, and its value for each seed."""
    told: dict[str, Any] = {"schema": SCHEMA, "name": group.run.name, "level": LEVEL}
    for name in ("version", "commit"):
        told[name] = group.run.summary.get(f"run.{name}")
    told |= {"n": len(seeds), "seeds": seeds, "metrics": {}}
    for line in compared([group]):
        (figure,) = line.figures
        told["metrics"][line.metric.field] = {
            "mean": _number(figure.mean),
            "half_width": _number(figure.half_width),
            "n": figure.n,
            "values": [_number(value) for value in group.values(line.metric)],
        }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
