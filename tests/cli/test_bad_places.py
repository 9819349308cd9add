"""Files that cannot be written, or would be written over: one line, status 2, nothing left."""

from __future__ import annotations

import shutil

import pytest
from cavern.simulator import BUILD

from tests.cli.mistakes import (
    JOB,
    LOGS,
    LONG,
    NEGATIVE,
    RUN,
    TRACED,
    WAVES,
    Mistake,
    Prepare,
    add,
    check,
    set_to,
)
from tests.cli.programs import CONFIGS, Program, Workspace, tree

SERVED = ["serve", "drive.toml", "--out", "out", "--run", "true"]


def out(folder: str) -> list[str]:
    return ["run", "drive.toml", "--trace", "trace.csv", *LOGS, "--out", folder]


def rest_on_another(workspace: Workspace) -> None:
    workspace.write("base.toml", f'extends = "{CONFIGS / "conventional.toml"}"\n')
    workspace.replace("drive.toml", str(CONFIGS / "conventional.toml"), "base.toml")


def add_part(workspace: Workspace) -> None:
    (workspace.folder / "nand").mkdir()
    part = CONFIGS / "nand" / "slc-k9xxg08uxa.toml"
    shutil.copy(part, workspace.folder / "nand" / "own.toml")


def link_the_summary(workspace: Workspace) -> None:
    (workspace.folder / "out").mkdir()
    (workspace.folder / "out" / "summary.json").symlink_to("../drive.toml")


def add_firmware(name: str) -> Prepare:
    return lambda workspace: shutil.copy(BUILD / "firmware" / "drive.elf", workspace.folder / name)


PLACES = [
    Mistake(
        "output below a file", "trace.csv/a/b:1: *Not a directory; *folder*", out("trace.csv/a/b")
    ),
    Mistake("output is a file", "drive.toml:1: cannot be made a folder*; *", out("drive.toml")),
    Mistake(
        "summary is a folder",
        "out/summary.json:1: *Is a directory; *",
        TRACED,
        lambda workspace: (workspace.folder / "out" / "summary.json").mkdir(parents=True),
    ),
    Mistake(
        "requests in no folder",
        "no/requests.csv:1: *No such file*; *folder that exists*",
        [*TRACED, "--decisions", "d.jsonl", "--requests", "no/requests.csv"],
    ),
    Mistake(
        "requests below a file",
        "drive.toml/x:1: *Not a directory; *folder that exists*",
        [*TRACED, "--decisions", "d.jsonl", "--requests", "drive.toml/x"],
    ),
    Mistake(
        "decisions into a folder",
        ".:1: *Is a directory; name a file*",
        [*TRACED, "--requests", "r.csv", "--decisions", "."],
    ),
    Mistake(
        "no space for the last file",
        "/dev/full:1: *No space left*; *",
        [*TRACED, "--requests", "r.csv", "--decisions", "d.jsonl", "--timeline", "/dev/full"],
    ),
    Mistake(
        "no space left in the run",
        "/dev/full:1: *No space left*; *",
        [*RUN, *LONG, *WAVES, "--decisions", "d.jsonl", "--requests", "/dev/full"],
    ),
    Mistake(
        "waves in no folder",
        "no/waves.fst:1: *No such file*; *folder that exists*",
        [*set_to("channel.arbiter=rtl"), *LOGS, "--waves", "no/waves.fst"],
    ),
    Mistake(
        "waves of the TLM arbiter",
        "<command line>:1: --waves needs *; *channel.arbiter=rtl*",
        [*TRACED, *LOGS, "--waves", "waves.fst"],
    ),
    Mistake(
        "a log over another",
        '<command line>:1: --decisions would write over "./log" of --requests; *another*',
        [*TRACED, "--requests", "log", "--decisions", "./log"],
    ),
    Mistake(
        "a log over the trace",
        '<command line>:1: --requests would write over "trace.csv" of --trace; *another*',
        [*TRACED, "--requests", "trace.csv"],
    ),
    Mistake(
        "a log over the summary",
        '<command line>:1: --requests would write over "out/summary.json" of --out; *another*',
        [*TRACED, "--requests", "out/summary.json"],
    ),
    Mistake(
        "a log over what the drive extends",
        '<command line>:1: --requests would write over "base.toml" of extends; *another*',
        [*TRACED, "--requests", "base.toml"],
        rest_on_another,
    ),
    Mistake(
        "a log over a part",
        '<command line>:1: --requests would write over "nand/own.toml" of nand.part; *another*',
        [*set_to("nand.part=own"), "--requests", "nand/own.toml"],
        add_part,
    ),
    Mistake(
        "a log over the list of faults",
        '<command line>:1: --decisions would write over "./faults" of nand.fault_list; *another*',
        [*set_to("nand.fault_list=faults", "ftl.overprovision=0.2"), "--decisions", "./faults"],
        add("faults", "# none\n"),
    ),
    Mistake(
        "a log over the firmware",
        '<command line>:1: --firmware-log would write over "x.elf" of cpu.firmware; *another*',
        [*set_to("cpu.model=iss", "cpu.firmware=x.elf"), "--firmware-log", "x.elf"],
        add_firmware("x.elf"),
    ),
    Mistake(
        "a log over the firmware alone",
        '<command line>:1: --trace would write over "./x.elf" of IMAGE; *another*',
        ["firmware", "x.elf", "--trace", "./x.elf"],
        add_firmware("x.elf"),
    ),
    Mistake(
        "a log over the trace by a link",
        '<command line>:1: --requests would write over "link" of --trace; *another*',
        [*TRACED, "--requests", "link"],
        lambda workspace: (workspace.folder / "link").symlink_to("trace.csv"),
    ),
    Mistake(
        "a log over the trace by its other name",
        '<command line>:1: --requests would write over "link" of --trace; *another*',
        [*TRACED, "--requests", "link"],
        lambda workspace: (workspace.folder / "link").hardlink_to(workspace.folder / "trace.csv"),
    ),
    Mistake(
        "a log over another by a link that leads nowhere yet",
        '<command line>:1: --decisions would write over "link" of --requests; *another*',
        [*TRACED, "--requests", "log", "--decisions", "link"],
        lambda workspace: (workspace.folder / "link").symlink_to("log"),
    ),
    Mistake(
        "the summary over the drive by a link",
        '<command line>:1: --out would write over "out/summary.json" of CONFIG; *another*',
        TRACED,
        link_the_summary,
    ),
    Mistake(
        "a log over the image",
        '<command line>:1: --requests would write over "./raw" of --image; *another*',
        [*SERVED, "--image", "raw", "--requests", "./raw"],
        add("raw", bytes(4096)),
    ),
    Mistake(
        "an image over the drive",
        '<command line>:1: --image would write over "drive.toml" of CONFIG; *another*',
        [*SERVED, "--image", "drive.toml"],
    ),
    Mistake(
        "the server's statistics over a log",
        '<command line>:1: --out would write over "out/serve.json" of --requests; *another*',
        [*SERVED, "--requests", "out/serve.json"],
    ),
    Mistake(
        "a trace over itself",
        '<command line>:1: OUT would write over "trace.csv" of FILE; *another*',
        ["trace", "convert", "trace.csv", "trace.csv"],
    ),
    Mistake(
        "a fit over its target",
        '<command line>:1: OUT would write over "./w.toml" of WORKLOAD; *another*',
        ["trace", "generate", "--fit", "w.toml", "./w.toml"],
        add("w.toml", JOB),
    ),
]


@pytest.mark.parametrize("mistake", PLACES, ids=lambda mistake: mistake.name)
def test_a_place_that_is_wrong_is_one_line_and_leaves_nothing(
    mistake: Mistake, workspace: Workspace, simulator: Program
) -> None:
    check(mistake, workspace, simulator)


def test_results_of_before_survive_a_mistake(workspace: Workspace, simulator: Program) -> None:
    assert simulator(*TRACED, *LOGS, *WAVES).returncode == 0
    workspace.write("bad.csv", NEGATIVE)
    before = tree(workspace.folder)
    finished = simulator(*RUN, "--trace", "-", *LOGS, *WAVES, text=NEGATIVE)
    assert finished.returncode == 2
    assert tree(workspace.folder) == before


def test_files_that_are_no_files_are_written_as_they_are(
    workspace: Workspace, simulator: Program
) -> None:
    # As root a rename would put an ordinary file in the place of /dev/null.
    logs = "--requests /dev/stdout --decisions /dev/null --timeline /dev/null".split()
    finished = simulator(*TRACED, "--quiet", *logs)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.startswith("id,op,offset,size,")
    assert len(finished.stdout.splitlines()) == 4
    (workspace.folder / "link.csv").symlink_to("real.csv")
    assert simulator(*TRACED, "--requests", "link.csv").returncode == 0
    assert (workspace.folder / "link.csv").is_symlink()
    assert (workspace.folder / "real.csv").read_text() == finished.stdout
