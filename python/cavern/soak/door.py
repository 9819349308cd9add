"""The door: inputs and outputs under many names, some of which are one file."""

from __future__ import annotations

import os
import random
from pathlib import Path

from cavern.simulator import ROOT
from cavern.soak.case import BASE, Case
from cavern.soak.program import ran

#: Outputs that a run is asked for, and those of a server.
OF_A_RUN = ("requests", "decisions", "timeline", "perfetto", "power", "bus-waves")
OF_A_SERVER = ("requests", "decisions", "timeline", "power")
#: What is written into the folder of --out in any case.
RESULTS = ("run/summary.json", "run/config.toml")


def drawn(seed: int, rows: tuple[str, ...]) -> Case:
    draw = random.Random(f"door {seed}")
    served = draw.random() < 0.3
    text = {
        "base.toml": f'extends = "{ROOT / BASE}"\n'.encode(),
        "drive.toml": b'extends = "base.toml"\n',
    }
    if served:
        text["img"] = bytes(4096)
    else:
        text["input.csv"] = "\n".join(["time_us,op,offset,size", *rows, ""]).encode()
    options = OF_A_SERVER if served else OF_A_RUN
    asked = draw.sample(options, draw.randrange(1, len(options)))
    outputs = {option: f"{option}.out" for option in asked}
    links: dict[str, str] = {}
    for option in asked:
        if draw.random() < 0.35:
            others = [path for other, path in outputs.items() if other != option]
            file = draw.choice([*text, *others, *RESULTS])
            outputs[option] = _another_name(draw, file, links, there=file in text)
    if draw.random() < 0.1:
        links[draw.choice(RESULTS)] = f"../{draw.choice([*text, *outputs.values()])}"
    settings = {"data.store": "full"} if served else {}
    return Case("door", seed, settings, rows, text, links, outputs)


def _another_name(draw: random.Random, file: str, links: dict[str, str], *, there: bool) -> str:
    """A name that leads to the file; what links it takes are added. Of a file that is there one
    may be hard."""
    how = draw.randrange(6)
    name = f"link-{len(links)}"
    if how == 0:
        return file
    if how == 1:
        return f"./{file}"
    if how == 2:
        links["here"] = "."
        return f"here/{file}"
    if how == 3:
        return f"@/{file}"  # from the root on
    links[name] = f"={file}" if how == 5 and there else file
    return name


def play(case: Case, folder: Path) -> str:
    """What is one file under two names is refused in one line, and nothing is written; else inputs
    stay as they are."""
    before = _tree(folder)
    clash = _clash(case, folder)
    words = [word.replace("@/", f"{folder}/") for word in case.command()]
    status, _, error = ran(*words, "--quiet", folder=folder)
    after = _tree(folder)
    for name, content in case.text.items():
        kept = name == "img" and status == 0  # a served image is written at the end
        if after.get(name) != content and not kept:
            return f"an input is overwritten: {name}"
    if clash and status == 0:
        return f"one file under two names is accepted: {clash}"
    if not clash and status != 0:
        return f"exit {status}: {error or 'without a word'}"
    if clash and ("\n" in error or not error.startswith("error: ") or status != 2):
        return f"exit {status}, and not one line: {error[:200]}"
    if clash and after != before:
        return f"refused, and {sorted(set(after.items()) ^ set(before.items()))[0][0]} is written"
    return ""


def _tree(folder: Path) -> dict[str, bytes]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def _clash(case: Case, folder: Path) -> str:
    """Two names of one file, one of which is written to; or a name that leads to itself."""
    names = [*case.text, *case.outputs.values(), *RESULTS]
    seen: dict[object, str] = {}
    for name in names:
        path = folder / name.replace("@/", "")
        identity: object = os.path.realpath(path)
        try:
            status = path.stat()
            identity = (status.st_dev, status.st_ino)
        except FileNotFoundError:
            pass
        except OSError as error:  # links in a circle
            return f"{name}: {error.strerror}"
        other = seen.setdefault(identity, name)
        if other != name or names.count(name) > 1:
            return f"{other}, {name}"
    return ""
