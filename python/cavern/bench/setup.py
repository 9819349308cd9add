"""`./cavern bench setup`: what newcomers and changes wait for, on a fresh Debian 12 made for it.

The Debian is a folder (debootstrap) with namespaces of its own: caches are empty, and its mounts
end with the process that needs them. It reaches registries as this machine does: names,
certificate and pip's settings are copied.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from cavern.errors import CavernError, InputError
from cavern.simulator import ROOT

SUITE = "bookworm"
#: Where the tree lies in it; and what a newcomer has before the first command, to get the tree.
TREE = "/srv/cavern"
BEFORE = ("git", "ca-certificates")
CERTIFICATE = "etc/cavern-certificate.pem"
ENVIRONMENT = {
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "TERM": "dumb",
}
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
INSIDE = """
mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" && mount --rbind /dev "$0/dev" &&
exec chroot "$0" bash -c "cd $1 2>/dev/null; $2"
"""
RUN = "./cavern run configs/conventional.toml --quiet --out out/run --limit 1000"
RUN += " --workload traces/workloads/random-write.toml"
SIMULATOR = "build/release/bin/cavern-sim"


@dataclass(frozen=True)
class Figure:
    """What was measured, and the most that it may be; None: measured alone."""

    what: str
    wall_s: float | None
    processor_s: float | None
    most_wall_s: float | None = None
    most_processor_s: float | None = None
    done: bool = True

    @property
    def kept(self) -> bool:
        pairs = ((self.wall_s, self.most_wall_s), (self.processor_s, self.most_processor_s))
        return self.done and all(
            most is None or (value is not None and value <= most) for value, most in pairs
        )


@dataclass(frozen=True)
class Fresh:
    """The Debian in the folder `root`."""

    root: Path

    def command(self, line: str) -> list[str]:
        spaces = ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]
        return ["unshare", *spaces, "sh", "-c", INSIDE, str(self.root), TREE, line]

    def run(self, what: str, line: str, most_wall_s: float | None = None) -> Figure:
        """Runs a line of shell there; its output goes into a file beside the root."""
        proxies = {name: os.environ[name] for name in PROXIES if name in os.environ}
        print(f"{what} ...", file=sys.stderr, flush=True)
        begin = time.monotonic()
        with self.log.open("ab") as log:
            log.write(f"==== {what}: {line}\n".encode())
            log.flush()
            process = subprocess.Popen(
                self.command(line),
                env={**ENVIRONMENT, **proxies},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
            _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu = used.ru_utime + used.ru_stime
        return Figure(what, wall, cpu, most_wall_s, done=process.returncode == 0)

    def answer(self, line: str) -> str:
        return subprocess.run(
            self.command(line), env=ENVIRONMENT, stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    @property
    def log(self) -> Path:
        return self.root.with_name(self.root.name + ".log")

    def change(self, pattern: str, comment: str) -> None:
        """Lines move in the first file of that name."""
        path = sorted((self.root / TREE[1:]).glob(pattern))[0]
        path.write_text(f"{comment} {time.time_ns()}\n\n" + path.read_text(encoding="utf-8"))


# ---- making it ----------------------------------------------------------------------------------


def debian_sources(texts: list[str]) -> list[tuple[str, str]]:
    """Mirror and suite of each source of this Debian in files below /etc/apt, of either form."""
    found: list[tuple[str, str]] = []
    for text in texts:
        for line in text.splitlines():
            if match := re.match(r"deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)\s.*\bmain\b", line):
                found.append((match[1], match[2]))
        for stanza in re.split(r"\n\s*\n", text):
            keys = dict(re.findall(r"^([\w-]+):\s*(.*)$", stanza, re.MULTILINE))
            if "deb" in keys.get("Types", "").split() and "main" in keys.get("Components", ""):
                uris, suites = keys["URIs"].split(), keys["Suites"].split()
                found += [(uri, suite) for uri in uris for suite in suites]
    return [(uri, suite) for uri, suite in found if suite.split("-")[0] == SUITE]


def host_sources() -> list[tuple[str, str]]:
    apt = Path("/etc/apt")
    files = [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*"))]
    return debian_sources([file.read_text() for file in files if file.is_file()])


def pip_settings() -> dict[str, str]:
    """What pip is told here, by files and by the environment, which comes first."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    settings: dict[str, str] = {}
    for line in lines.splitlines():
        key, _, value = line.partition("=")
        settings.setdefault(key.rpartition(".")[2], value.strip("'\""))
    return settings


def copy_registries(root: Path) -> None:
    """Names, apt's way to its mirrors, pip's to its index."""
    for name in ("etc/hosts", "etc/resolv.conf"):
        shutil.copy(f"/{name}", root / name)
    lines = [f"deb {uri} {suite} main\n" for uri, suite in host_sources()]
    (root / "etc/apt/sources.list").write_text("".join(lines))
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
    ways = re.findall(r"^Acquire::(?:https?|Check)[\w:-]* \"[^\"]*\";$", dump, re.MULTILINE)
    (root / "etc/apt/apt.conf.d/90host").write_text("\n".join(ways) + "\n")
    settings = pip_settings()
    if certificate := settings.pop("cert", None):
        shutil.copy(certificate, root / CERTIFICATE)
        settings["cert"] = f"/{CERTIFICATE}"
    settings.pop("find-links", None)
    text = "".join(f"{key} = {value}\n" for key, value in settings.items())
    (root / "etc/pip.conf").write_text(f"[global]\n{text}")


def make(root: Path, base: Path | None) -> Fresh:
    """A fresh Debian with a clone of the tree's last commit; `base`: an archive to begin with."""
    mirrors = [uri for uri, suite in host_sources() if suite == SUITE]
    if not mirrors:
        right = "sources.list names a mirror of it"
        raise InputError("/etc/apt/sources.list", 1, f"no source of {SUITE}", right)
    root.mkdir(parents=True)
    fresh = Fresh(root)
    if base and base.exists():
        subprocess.run(["tar", "-xf", base, "-C", root], check=True)
    else:
        print("making a Debian ...", file=sys.stderr, flush=True)
        command = ["debootstrap", "--variant=minbase", SUITE, str(root), mirrors[0]]
        with fresh.log.open("ab") as log:
            subprocess.run(command, stdout=log, stderr=log, check=True)
        if base:
            subprocess.run(["tar", "-cf", base, "-C", root, "."], check=True)
    copy_registries(root)
    install = f"apt-get update && apt-get install -y --no-install-recommends {' '.join(BEFORE)}"
    # Apt asks for its lists anew.
    if not fresh.run("getting git", f"{install} && rm -rf /var/lib/apt/lists/*").done:
        raise CavernError(f"git could not be installed; {fresh.log} says why")
    clone = ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(root / TREE[1:])]
    subprocess.run(clone, check=True)
    return fresh


# ---- measuring ----------------------------------------------------------------------------------

Steps = dict[str, Callable[[Fresh], Iterator[Figure]]]


def processor_seconds(log: str) -> float | None:
    """Seconds of the build of a build.log: what bash's `times` wrote at its end."""
    found = re.findall(r"(\d+)m([\d.]+)s", "\n".join(log.splitlines()[-2:]))
    return sum(60 * int(m) + float(s) for m, s in found) if len(found) == 4 else None


def demo(fresh: Fresh) -> Iterator[Figure]:
    yield fresh.run("./cavern demo, whole", "./cavern demo", 240)
    log = fresh.root / TREE[1:] / "build" / "build.log"
    seconds = processor_seconds(log.read_text()) if log.exists() else None
    yield Figure("the simulator's build", None, seconds, most_processor_s=300)


def tests(fresh: Fresh) -> Iterator[Figure]:
    yield fresh.run("./cavern test after it, build and all", "./cavern test", 780)


def again(fresh: Fresh) -> Iterator[Figure]:
    yield fresh.run("./cavern test, once built", "./cavern test", 480)


def fast(fresh: Fresh) -> Iterator[Figure]:
    yield fresh.run("./cavern test --fast, once built", "./cavern test --fast", 60)


def core(fresh: Fresh) -> Iterator[Figure]:
    fresh.change("model/core/buffer/lru_page.cpp", "//")
    yield fresh.run("a file of the core touched, to its tests", "./cavern test core/buffer", 45)


def firmware(fresh: Fresh) -> Iterator[Figure]:
    fresh.run("the build before it", "./cavern config list")
    fresh.change("firmware/drive/policy.c", "//")
    line = f"{RUN} --set cpu.model=iss --set cpu.decides=firmware"
    yield fresh.run("a line of a firmware policy, to its run", line, 15)


def arbiter(fresh: Fresh) -> Iterator[Figure]:
    fresh.change("rtl/channel_arbiter.sv", "//")
    line = f"{RUN} --set channel.arbiter=rtl"
    yield fresh.run("a line of the arbiter's RTL, to its run", line, 60)


def front_door(fresh: Fresh) -> Iterator[Figure]:
    inner = RUN.removeprefix("./cavern")
    cases = {"--help": "true", "config list": f"{SIMULATOR} config list", "run": SIMULATOR + inner}
    for name, alone in cases.items():
        line = RUN if name == "run" else f"./cavern {name}"
        text = fresh.answer(timed(line) + timed(alone))
        wall, processor = own_time(text)
        what = f"{line.split(' --quiet')[0]}, beyond the simulator's own time"
        yield Figure(what, wall, processor, most_wall_s=0.1)


TIMES = 10


def timed(line: str) -> str:
    """Shell that prints how long each of ten runs took, and its time of the processor, in ms."""
    run = f"time {line} >/dev/null 2>&1"
    return f"{line} >/dev/null 2>&1; TIMEFORMAT='%3R %3U %3S'; for i in {{1..{TIMES}}}; do " + (
        f"{run}; done 2>&1; "
    )


def own_time(text: str) -> tuple[float, float]:
    """The medians of the first half of the lines beyond those of the second."""
    rows = [[float(word) for word in line.split()] for line in text.splitlines()]
    assert len(rows) == 2 * TIMES, text
    walls = [row[0] for row in rows]
    processor = [row[1] + row[2] for row in rows]
    wall, cpu = (
        statistics.median(each[:TIMES]) - statistics.median(each[TIMES:])
        for each in (walls, processor)
    )
    return wall, cpu


def ci(fresh: Fresh) -> Iterator[Figure]:
    clean = "git clone --quiet . ../clean && cd ../clean"
    yield fresh.run(".ci/run on a clean checkout", f"{clean} && .ci/run", 1800)


#: In this order; ci takes long, and is done where it is asked for.
STEPS: Steps = {
    "demo": demo,
    "tests": tests,
    "again": again,
    "fast": fast,
    "core": core,
    "firmware": firmware,
    "arbiter": arbiter,
    "front-door": front_door,
    "ci": ci,
}


def table(figures: list[Figure]) -> Table:
    shown = Table(title="on a fresh Debian 12", title_justify="left")
    for head in ("", "wall, s", "at most", "processor, s", "at most", ""):
        shown.add_column(head, justify="left" if not head else "right")

    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.2f}" if value < 1 else f"{value:,.0f}"

    for each in figures:
        verdict = "kept" if each.kept else "missed" if each.done else "failed"
        numbers = (each.wall_s, each.most_wall_s, each.processor_s, each.most_processor_s)
        shown.add_row(each.what, *(number(value) for value in numbers), verdict)
    return shown


def chosen(words: str) -> list[str]:
    """The steps of a list with commas, in their order."""
    asked = words.split(",")
    for word in asked:
        if word not in STEPS:
            raise click.UsageError(f"there is no step {word!r}; the steps are {', '.join(STEPS)}")
    return [name for name in STEPS if name in asked]


@click.command()
@click.option(
    "--steps",
    default=",".join(name for name in STEPS if name != "ci"),
    show_default=True,
    help="what is measured",
)
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="the Debian's folder, which is kept; one that is there is gone on with",
)
@click.option(
    "--base",
    type=click.Path(path_type=Path),
    help="an archive of a Debian to begin with; made where it is not there",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="also write them here")
def setup(steps: str, root: Path | None, base: Path | None, json_file: Path | None) -> None:
    """Measures on a fresh Debian 12 what a newcomer and a change wait for, of the last commit.

    Needs root and debootstrap; takes about half an hour. The exit status is 1 where a bound is
    missed."""
    names = chosen(steps)
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        what = "a fresh Debian cannot be made here"
        raise InputError("<command line>", 1, what, "be root, and apt-get install debootstrap")
    where = root or Path(f"/var/tmp/cavern-setup-{os.getpid()}")
    figures: list[Figure] = []
    try:
        fresh = Fresh(where) if (where / TREE[1:]).exists() else make(where, base)
        for name in names:
            figures += STEPS[name](fresh)
        Console(width=None if sys.stdout.isatty() else 120).print(table(figures))
        print(f"output: {fresh.log}")
    finally:
        if not root:
            shutil.rmtree(where, ignore_errors=True)
    if json_file:
        rows = [{**asdict(each), "kept": each.kept} for each in figures]
        json_file.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    sys.exit(0 if all(each.kept for each in figures) else 1)
