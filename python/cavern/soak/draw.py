"""Draws cases. What is drawn of a key says its row in keys.toml, or what the program says of it."""

from __future__ import annotations

import json
import random
import re
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from cavern.simulator import ROOT
from cavern.soak import door
from cavern.soak.case import BASE, Case
from cavern.soak.program import ran

BLAMED = re.compile(r"error: <command line>:(\d+): ")
REQUESTS = 150

#: As ./cavern soak is told: drives that are drawn have these settings, where they fit.
wanted: dict[str, str] = {}


@cache
def table() -> dict[str, Any]:
    with (Path(__file__).parent / "keys.toml").open("rb") as file:
        return tomllib.load(file)


class CrashError(Exception):
    """The check of a configuration has ended as no check may."""

    def __init__(self, settings: dict[str, str], fault: str) -> None:
        super().__init__(fault)
        self.settings = dict(settings)


@cache
def keys() -> list[dict[str, Any]]:
    """What the program says of each."""
    status, listed, error = ran("config", "list", "--json", drawing=True)
    if status != 0:
        raise CrashError({}, f"exit {status}: {error}")
    found: list[dict[str, Any]] = json.loads(listed)["keys"]
    return found


@cache
def words() -> dict[str, list[str]]:
    """Of each key of the program those that it accepts; none: it takes no words."""
    return {key["name"]: [word["name"] for word in key.get("words", [])] for key in keys()}


def without_row(key: dict[str, Any]) -> list[Any] | None:
    """The row of a key that has none: its words, true and false, or the ends of its range; of a
    scheme's key only where that is in use. None: a text needs a row."""
    if "words" not in key and key["type"] != "flag" and "range" not in key:
        return None
    ends = [] if "words" in key else [str(end) for end in key.get("range", [])]
    section, _, scheme = key["section"].partition(".")
    needs = [
        f"{name}={scheme}"
        for name, known in words().items()
        if name.rpartition(".")[0] == section and scheme in known
    ]
    return [50, ends, *needs]


@cache
def rows_of_more() -> dict[str, list[Any]]:
    rows = dict(table()["more"])
    undrawn = table()["undrawn"]
    for key in keys():
        name = key["name"]
        excused = any(name.startswith(one) for one in undrawn if one.endswith("."))
        row = without_row(key)
        if name not in table()["basic"] and name not in undrawn and not excused and row:
            rows.setdefault(name, row)
    return rows


def _draw(rows: dict[str, list[Any]], draw: random.Random, settings: dict[str, str]) -> None:
    for key, (percent, values, *needs) in rows.items():
        # An older program has not all keys: it is played what is left.
        value = draw.choice(values or words().get(key) or ["false", "true"])
        given = draw.randrange(100) < percent
        name, _, wanted = needs[0].partition("=") if needs else ("", "", "")
        if given and key in words() and (not needs or settings.get(name) in wanted.split()):
            settings[key] = value


def blamed(settings: dict[str, str], *, served: bool = False) -> str | None:
    """The key that the check of the configuration blames; None: the drive can be built."""
    flags = Case("", 0, settings, ()).flags()
    asked = ["config", "show", ROOT / BASE, *flags]
    with tempfile.TemporaryDirectory(prefix="cavern-soak-") as out:
        if served:
            asked = ["serve", ROOT / BASE, *flags, "--out", f"{out}/served", "--run", "true"]
        elif "cpu.decides" in settings:  # only a run knows what the firmware has not
            logs = ("--out", f"{out}/run", "--quiet")
            asked = ["run", ROOT / BASE, "--trace", "-", "--format", "csv", *flags, *logs]
        status, _, error = ran(*asked, text="time_us,op,offset,size\n", drawing=True)
    if status == 0:
        return None
    if status != 2:
        raise CrashError(settings, f"exit {status}: {error}")
    found = BLAMED.match(error)
    given = [word.partition("=")[0] for word in flags[1::2]]
    key = given[int(found[1]) - 1] if found else ""
    # Where a value of SMALL, or of a file, does not fit, the last setting goes.
    return key if key in settings else next(reversed(settings), None)


def drive(draw: random.Random, more: dict[str, str], *, served: bool = False) -> dict[str, str]:
    """Settings of a drive that can be built. Those of `more`, and those wanted, come first: blamed
    is what stands behind, so what does not fit them goes."""
    fixed = {key: value for key, value in {**wanted, **more}.items() if key in words()}
    layer = draw.choice(words()["ftl.scheme"])
    while True:
        settings: dict[str, str] = {}
        _draw(table()["basic"], draw, settings)
        settings["ftl.scheme"] = layer
        if blamed(settings) is None:
            break
    settings = {**fixed, **settings, **fixed}
    _draw(rows_of_more(), draw, settings)
    settings |= fixed
    while (key := blamed(settings, served=served)) is not None:
        del settings[key]
    return settings


def load(draw: random.Random, requests: int = REQUESTS) -> tuple[str, ...]:
    """Reads, writes, TRIMs and FLUSHes of a few pages of 2 KiB, many of the same ones."""
    pages = draw.choice([8, 40, 200, 2000])
    most = draw.choice([1, 1, 4, 16])
    gap = draw.choice([0, 0, 30, 300])
    share = draw.choice([(10, 85, 3), (40, 50, 7), (70, 25, 2)])
    time, rows = 0.0, []
    for _ in range(requests):
        time += gap * draw.random() * 2
        op = draw.choices("RWTF", (*share, 100 - sum(share)))[0]
        begin = draw.randrange(pages) * 2048 + (
            512 * draw.randrange(4) if draw.random() < 0.2 else 0
        )
        size = 0 if op == "F" else 512 * draw.randrange(1, 4 * most + 1)
        rows.append(f"{time:.3f},{op},{0 if op == 'F' else begin},{size}")
    return tuple(rows)


# ---- kinds ---------------------------------------------------------------------------------------


def pair(seed: int) -> Case:
    draw = random.Random(f"pair {seed}")
    return Case("pair", seed, drive(draw, {}), load(draw))


#: What each way to come back takes.
RECOVERIES: dict[str, list[dict[str, str]]] = {
    "oob-scan": [{}, {"power_loss.ends_programs": "true"}],
    "plp": [
        {"power_loss.energy": energy, "buffer.policy": policy, "buffer.size": "16KiB", **block}
        for energy in ("160uJ", "1000uJ", "20000uJ")
        for policy in ("bplru", "lru-page", "fab")
        # A victim of a policy of blocks may take more energy than all that is in the buffer.
        for block in ({}, {"nand.page_size": "2KiB", "nand.pages_per_block": "16"})
    ],
    "checkpoint": [
        {"power_loss.checkpoint_pages": pages, "power_loss.journal": journal}
        for pages in ("1", "50", "1000")
        for journal in ("0", "5")
    ],
    "ltftl": [{"power_loss.checkpoint_pages": "20", "power_loss.ends_programs": "true"}],
}


def cut(seed: int) -> Case:
    draw = random.Random(f"cut {seed}")
    recovery = draw.choice(list(RECOVERIES))
    loss = {"power_loss.recovery": recovery, **draw.choice(RECOVERIES[recovery])}
    loss["power_loss.seed"] = str(draw.randrange(1000))
    loss["power_loss.cuts_in_mount"] = draw.choice(["0", "0", "2", "8"])
    rows = load(draw, 2 * REQUESTS)
    stormy = draw.random() < 0.05
    if stormy:
        loss, rows = storm(draw, loss)
    loss["nand.t_program"] = draw.choice(["200us", "90us"])
    if recovery in ("checkpoint", "ltftl"):
        loss["ftl.scheme"] = "page"
    if stormy:
        loss["power_loss.at"] = draw.choice(["1ms", "3ms", "9ms"])
    elif draw.random() < 0.5:
        loss["fidelity"] = "untimed"
        loss["power_loss.cuts"] = draw.choice(["1", "5", "40"])
        loss["power_loss.gap"] = draw.choice(["2", "10", "30"])
        loss["power_loss.under_way"] = draw.choice(["1", "8", "64", "500"])
    else:
        loss["power_loss.at"] = f"{draw.randrange(1, 40_000)}us"
    return Case("cut", seed, drive(draw, loss), rows)


def storm(draw: random.Random, loss: dict[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """As much under way as a queue holds: records of TRIMs, checkpoints, or marks."""
    ops, more = draw.choice(
        [
            ("T", {}),
            ("W", {"buffer.policy": "none", **RECOVERIES["checkpoint"][0]}),
            ("WF", RECOVERIES["ltftl"][0]),
        ]
    )
    if more:
        recovery = "ltftl" if ops == "WF" else "checkpoint"
        more = {**more, "power_loss.recovery": recovery, "ftl.scheme": "page"}
    rows = tuple(
        f"0,{op},{0 if op == 'F' else 2048 * draw.randrange(400)},{0 if op == 'F' else 2048}"
        for _ in range({"WF": 20_000, "T": 6000}.get(ops, 1500))
        for op in ops
    )
    return {**loss, "host.interface": "direct", "host.queue_depth": "65535", **more}, rows


def served(seed: int) -> Case:
    draw = random.Random(f"serve {seed}")
    recovery = draw.choice(["oob-scan", "oob-scan", "plp", "checkpoint"])
    loss = {
        "power_loss.on_signal": "true",
        "power_loss.recovery": recovery,
        **draw.choice(RECOVERIES[recovery]),
        "power_loss.cuts_in_mount": draw.choice(["0", "3"]),
        "nand.t_program": draw.choice(["200us", "90us"]),
        "precondition.fill": "0",
        "data.store": "full",
        "data.trim_reads": "zeros",
        "ecc.errors": "none",
    }
    return Case("serve", seed, drive(draw, loss, served=True), ())


def spoil(draw: random.Random, text: bytes) -> bytes:
    """A few of its bytes, words or lines are lost, doubled, moved or replaced."""
    odd = [
        b"",
        b"\0",
        b"\xff",
        b"-1",
        b"1e999",
        b"9" * 40,
        b"[",
        b"]]",
        b'"',
        b"\n",
        b"=",
        b"#",
        b"{a",
    ]
    for _ in range(draw.choice([1, 1, 2, 6])):
        parts = re.split(rb"(\W)", text) if draw.random() < 0.7 else text.splitlines(keepends=True)
        if not parts:
            return text
        at = draw.randrange(len(parts))
        how = draw.randrange(4)
        if how == 0:
            del parts[at]
        elif how == 1:
            parts.insert(at, parts[draw.randrange(len(parts))])
        else:
            parts[at] = draw.choice(odd) if how == 2 else parts[draw.randrange(len(parts))]
        text = b"".join(parts)
    return text


#: Files of the tree that are spoilt, and what they are called then.
INPUTS = {
    "configs/tlc-nvme.toml": "drive.toml",
    "configs/nand/tlc-16k.toml": "nand/part.toml",
    "traces/workloads/mixed-70-30.toml": "workload.toml",
    "examples/fio/random-fill.fio": "job.fio",
}


def spoilt(seed: int) -> Case:
    draw = random.Random(f"input {seed}")
    source = draw.choice([*INPUTS, "trace.csv"])
    rows = load(draw, 20)
    if source == "trace.csv":
        text = "\n".join(["time_us,op,offset,size", *rows, ""]).encode()
        return Case("input", seed, {}, rows, {"input.csv": spoil(draw, text)})
    below = f'"{ROOT}/configs/tlc-modern.toml"'
    text = (ROOT / source).read_bytes().replace(b'"tlc-modern.toml"', below.encode())
    files = {INPUTS[source]: spoil(draw, text)}
    if source.startswith("configs/nand"):
        files["drive.toml"] = f'extends = {below}\n[nand]\npart = "part"\n'.encode()
    # Three page types do not fit into the blocks of SMALL.
    return Case("input", seed, {"nand.pages_per_block": "12"}, rows, files)


def doors(seed: int) -> Case:
    return door.drawn(seed, load(random.Random(f"door {seed}"), 5))


def debugged(seed: int) -> Case:
    draw = random.Random(f"debug {seed}")
    firmware = {
        "cpu.model": "iss",
        "precondition.fill": draw.choice(["0", "1"]),
        "buffer.policy": draw.choice(["lru-page", "lru-block", "none"]),
    }
    return Case("debug", seed, firmware, load(draw, 60))


KINDS = {
    "pair": pair,
    "cut": cut,
    "input": spoilt,
    "serve": served,
    "door": doors,
    "debug": debugged,
}
