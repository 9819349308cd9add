"""Wrong input: one line with where, what and what would be right; status 2; nothing left behind."""

from __future__ import annotations

import gzip
import lzma

import pytest

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
    is_message,
    set_to,
)
from tests.cli.programs import CONFIGS, TRACE, Program, Workspace, tree


def edit(old: str, new: str) -> Prepare:
    return lambda workspace: workspace.replace("drive.toml", old, new)


CONFIGURATION = [
    Mistake(
        "unknown key",
        'drive.toml:10: unknown key "buffer.polcy"; *"buffer.policy"*',
        TRACED,
        edit("policy", "polcy"),
    ),
    Mistake(
        "unknown section",
        'drive.toml:8: unknown key "bufer*"; *',
        TRACED,
        edit("[buffer]", "[bufer]"),
    ),
    Mistake(
        "codeword that is no power of two",
        "<command line>:1: ecc.codeword = 1000 bytes is no power of two; 512B, *",
        set_to("ecc.codeword=1000B"),
    ),
    Mistake(
        "codeword larger than a page",
        "<command line>:2: ecc.codeword = 32KiB on mapping units of *; ecc.codeword at most *",
        set_to("ecc.engine=per-channel", "ecc.codeword=32KiB"),
    ),
    Mistake(
        "bit errors without a decoder",
        "<command line>:1: ecc.errors where error correction takes no time; "
        "ecc.engine = per-channel, or ecc.errors = none",
        set_to("ecc.errors=tlc-72layer"),
    ),
    Mistake(
        "soft information that corrects less",
        "<command line>:3: ecc.soft_correctable = 99 and ecc.correctable = 100; "
        "ecc.soft_correctable at least ecc.correctable",
        set_to("ecc.engine=per-channel", "ecc.soft_reads=2", "ecc.soft_correctable=99"),
    ),
    Mistake(
        "no unit", "drive.toml:9: buffer.size has no unit; *KiB*", TRACED, edit('"64KiB"', "65536")
    ),
    Mistake(
        "wrong unit", "drive.toml:9: buffer.size = *64us*; *KiB*", TRACED, edit("64KiB", "64us")
    ),
    Mistake(
        "unknown policy",
        'drive.toml:10: buffer.policy = "mru" *; *lru-page*',
        TRACED,
        edit("lru-page", "mru"),
    ),
    Mistake(
        "page size no power of two",
        "<command line>:1: *3000 bytes is no power of two; *",
        set_to("nand.page_size=3000B"),
    ),
    Mistake(
        "too many dies on a channel",
        "<command line>:2: *32 dies on a channel; at most 16*",
        set_to("nand.ways=8", "nand.dies=4"),
    ),
    Mistake(
        "no channel",
        "drive.toml:4: nand.channels = 0 *; *",
        TRACED,
        edit("channels = 2", "channels = 0"),
    ),
    Mistake(
        "no room for collection",
        "drive.toml:6: *blocks*; *",
        TRACED,
        edit("blocks_per_plane = 64", "blocks_per_plane = 2"),
    ),
    Mistake(
        "buffer beyond the SDRAM",
        "drive.toml:9: a buffer of 1GiB *; *dram.size*",
        TRACED,
        edit("64KiB", "1GiB"),
    ),
    Mistake("no TOML", "drive.toml:4: *; *", TRACED, edit("channels = 2", "channels = = 2")),
    Mistake("missing part", "<command line>:1: *mlc*; *", set_to("nand.part=mlc")),
    Mistake(
        "missing base",
        "drive.toml:1: no such file*; *readable*",
        TRACED,
        edit("conventional.toml", "unconventional.toml"),
    ),
    Mistake(
        "missing configuration",
        "other.toml:1: no such file; *readable*",
        ["run", "other.toml", "--trace", "trace.csv", "--out", "out"],
    ),
    Mistake(
        "base without end",
        'drive.toml:1: the file has more than 4 MiB: "/dev/zero"; *readable*',
        TRACED,
        edit(str(CONFIGS / "conventional.toml"), "/dev/zero"),
    ),
    Mistake(
        "configuration without end",
        "/dev/zero:1: the file has more than 4 MiB; *readable*",
        ["config", "show", "/dev/zero"],
    ),
    Mistake(
        "firmware without end",
        '<command line>:2: "/dev/zero": has more than 64 MiB; *image*',
        set_to("cpu.model=iss", "cpu.firmware=/dev/zero"),
    ),
    Mistake(
        "list of faults without end",
        "/dev/zero:1: the list of faults has more than 64 MiB; *",
        set_to("nand.fault_list=/dev/zero"),
    ),
    Mistake(
        "setting without a value",
        '<command line>:1: --set "seed" has no =; *KEY=VALUE*',
        set_to("seed"),
    ),
    Mistake(
        "second setting wrong",
        '<command line>:2: unknown key "host.lane"; *"host.lanes"*',
        set_to("seed=2", "host.lane=1"),
    ),
    Mistake(
        "word that is none",
        "<command line>:1: power_loss.recovery *is unknown; *oob-scan*",
        set_to("power_loss.recovery=none"),
    ),
    Mistake(
        "awareness of a queue without a buffer",
        "<command line>:2: buffer.ncq_aware without a buffer; *none*",
        set_to("buffer.ncq_aware=true", "buffer.policy=none"),
    ),
    Mistake(
        "awareness of a queue that is always empty",
        "<command line>:2: buffer.ncq_aware where no command ever waits; *in-turn*",
        set_to("buffer.ncq_aware=true", "buffer.dispatch=at-once"),
    ),
]

BEYOND = TRACE + "30,W,10000000000,4096\n40,W,0,512\n"


def packed(pack: str, damage: str) -> Mistake:
    """A trace of 20,000 lines, compressed, then cut or with a byte of it changed."""
    lines = [f"{i},W,{i * 7919 % 4096 * 512},512" for i in range(20000)]
    text = "\n".join(["time_us,op,offset,size", *lines, ""]).encode()
    data = gzip.compress(text) if pack == "gz" else lzma.compress(text)
    half = len(data) // 2
    rest = b"" if damage == "cut" else bytes([data[half] ^ 0xFF]) + data[half + 1 :]
    name = f"trace.{pack}"
    return Mistake(
        f"{damage} {pack}",
        f"{name}:#: *; *",
        [*RUN, "--trace", name],
        add(name, data[:half] + rest),
    )


def trace(name: str, message: str, content: str) -> Mistake:
    return Mistake(name, message, [*RUN, "--trace", "t.csv", *LOGS], add("t.csv", content))


def job(name: str, message: str, content: str) -> Mistake:
    return Mistake(name, message, [*RUN, "--workload", "w.toml", *LOGS], add("w.toml", content))


WORKLOADS = [
    Mistake(
        "missing trace", "other.csv:1: no such file; *readable*", [*RUN, "--trace", "other.csv"]
    ),
    Mistake("trace is a folder", ".:1: *directory; *readable*", [*RUN, "--trace", "."]),
    Mistake("trace is no trace", "drive.toml:1: *; *csv*", [*RUN, "--trace", "drive.toml"]),
    trace("empty trace", "t.csv:1: the trace is empty; *", ""),
    trace(
        "cut in the middle of a line",
        "t.csv:4: the trace ends inside this line *; *time_us,op,offset,size*",
        TRACE[:-8],
    ),
    trace("negative size", 't.csv:5: size "-512" is negative; size is in bytes*', NEGATIVE),
    trace("unknown operation", 't.csv:5: op "X" is unknown; *R (read)*', TRACE + "30,X,0,512\n"),
    trace("beyond the drive", "t.csv:5: *ends beyond the drive; *; *wrap*", BEYOND),
    Mistake(
        "negative size from a pipe",
        '<stdin>:5: size "-512" is negative; size is in bytes*',
        [*RUN, "--trace", "-", *LOGS, *WAVES],
        text=NEGATIVE,
    ),
    Mistake(
        "beyond the drive from a pipe",
        "<stdin>:5: *ends beyond the drive; *; *wrap*",
        [*RUN, "--trace", "-", *LOGS, *WAVES],
        text=BEYOND,
    ),
    Mistake(
        "unknown format",
        '<command line>:1: *format "blktrace" is unknown; *csv*',
        [*TRACED, "--format", "blktrace"],
    ),
    Mistake("other format", "trace.csv:1: *; *such as*", [*TRACED, "--format", "msr"]),
    *(packed(pack, damage) for pack in ("gz", "xz") for damage in ("cut", "changed")),
    Mistake(
        "missing workload",
        "other.toml:1: no such file; *readable*",
        [*RUN, "--workload", "other.toml"],
    ),
    job("workload that is no TOML", "w.toml:2: *; *[[job]]*", '[[job]]\nrw = "randwrite\n'),
    job(
        "unknown key of a workload",
        'w.toml:4: unknown key "blocksize"; *bs*',
        JOB + 'blocksize = "4KiB"\n',
    ),
    job(
        "unknown pattern",
        'w.toml:2: job.rw = "shred" is unknown; *randwrite*',
        JOB.replace("randwrite", "shred"),
    ),
    job("negative number of requests", "w.toml:4: job.number_ios *; *", JOB + "number_ios = -1\n"),
    job(
        "long workload", "w.toml:#: the file has more than 4 MiB; *--trace*", "# More.\n" * 600_000
    ),
    Mistake(
        "long job file",
        "w.fio:#: the file has more than 4 MiB; *--trace*",
        [*RUN, "--workload", "w.fio"],
        add("w.fio", "; more\n" * 700_000),
    ),
    Mistake(
        "workload without end",
        "/dev/zero:1: the line is longer than 64 KiB; *",
        [*RUN, "--workload", "/dev/zero"],
    ),
    job("workload beyond the drive", "w.toml:1: *beyond*; *wrap*", JOB.replace("1MiB", "1TiB")),
    Mistake(
        "trace and workload",
        "<command line>:1: *exclude each other; *either*",
        [*TRACED, "--workload", "trace.csv"],
    ),
    Mistake("neither trace nor workload", "<command line>:1: *nothing to run; *--workload*", RUN),
]

OPTIONS = [
    Mistake("no command", "<command line>:1: *subcommand is required; see ./cavern --help", []),
    Mistake(
        "unknown command", '<command line>:1: unknown command "walk"; see ./cavern --help', ["walk"]
    ),
    Mistake(
        "unknown option",
        '<command line>:1: * not expected: *--lmit; *"--limit"? see ./cavern run --help',
        [*TRACED, "--lmit", "3"],
    ),
    Mistake(
        "option of two lines",
        "<command line>:1: *--two lines; see ./cavern run --help",
        [*TRACED, "--two\nlines"],
    ),
    Mistake(
        "option without its value",
        "<command line>:1: --trace*; see ./cavern run --help",
        [*RUN, "--trace"],
    ),
    Mistake(
        "no configuration",
        "<command line>:1: CONFIG *; see ./cavern run --help",
        ["run", "--trace", "trace.csv"],
    ),
    Mistake(
        "limit no number",
        '<command line>:1: --limit: "many" is no whole number *; *',
        [*TRACED, "--limit", "many"],
    ),
    Mistake(
        "limit below zero",
        '<command line>:1: --limit: "-5" is no whole number *; *',
        [*TRACED, "--limit", "-5"],
    ),
    Mistake(
        "seed too large",
        "<command line>:1: --seed: *is no whole number *; *",
        [*TRACED, "--seed", "9223372036854775808"],
    ),
    Mistake(
        "time without unit",
        '<command line>:1: --timeline-from: "5" is no time; *',
        [*TRACED, "--timeline", "t.json", "--timeline-from", "5"],
    ),
    Mistake(
        "time no time",
        '<command line>:1: --timeline-to: "noon" is no time; *',
        [*TRACED, "--timeline", "t.json", "--timeline-to", "noon"],
    ),
    Mistake(
        "window of no timeline",
        "<command line>:1: --timeline-to requires --timeline; *",
        [*TRACED, "--timeline-to", "5ms"],
    ),
    Mistake(
        "window the wrong way round",
        "<command line>:1: --timeline-from lies after --timeline-to; *earlier*",
        [*TRACED, *LOGS, "--timeline-from", "5ms", "--timeline-to", "1ms"],
    ),
    Mistake(
        "no config command", "<command line>:1: *required; see ./cavern config --help", ["config"]
    ),
    Mistake(
        "unknown config command",
        '<command line>:1: unknown command "tell"; see ./cavern config --help',
        ["config", "tell"],
    ),
    Mistake(
        "explaining an unknown key",
        '<command line>:1: unknown key "buffer.sise"; *"buffer.size"*',
        ["config", "explain", "buffer.sise"],
    ),
    Mistake(
        "showing a missing file",
        "other.toml:1: no such file; *readable*",
        ["config", "show", "other.toml"],
    ),
]


@pytest.mark.parametrize(
    "mistake", [*CONFIGURATION, *WORKLOADS, *OPTIONS], ids=lambda mistake: mistake.name
)
def test_mistake_is_one_line_and_leaves_nothing(
    mistake: Mistake, workspace: Workspace, simulator: Program
) -> None:
    check(mistake, workspace, simulator)


def test_inputs_are_good_but_for_the_mistake(workspace: Workspace, simulator: Program) -> None:
    # Otherwise the cases above might all meet one and the same mistake.
    before = tree(workspace.folder)
    finished = simulator(*TRACED, *LOGS, *WAVES)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert set(tree(workspace.folder)) - set(before) == {
        "out",
        "out/summary.json",
        "out/config.toml",
        "requests.csv",
        "decisions.jsonl",
        "timeline.json",
        "waves.fst",
    }
    assert simulator(*RUN, "--trace", "-", text=TRACE).returncode == 0
    assert simulator(*RUN, *LONG).returncode == 0
    workspace.write("w.toml", JOB + "number_ios = 10\n")
    assert simulator(*RUN, "--workload", "w.toml").returncode == 0
    for pack, compress in (("gz", gzip.compress), ("xz", lzma.compress)):
        workspace.write(f"good.{pack}", compress(TRACE.encode()))
        assert simulator(*RUN, "--trace", f"good.{pack}").returncode == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "error: out of range\n",
        "error: a.toml: no line; a line\n",
        "error: a.toml:0: line zero; a line\n",
        "error: a.toml:1: only half\n",
        "error: a.toml:1: one; two\nand more\n",
        "error: a.toml:1: one; two\nerror: a.toml:2: three; four\n",
        "error: a.toml:1: no end of line; here",
        "warning\nerror: a.toml:1: one; two\n",
    ],
)
def test_other_forms_of_a_message_are_refused(text: str) -> None:
    assert not is_message(text)


def test_expected_words_are_looked_for() -> None:
    text = "error: a.toml:12: x = 1 is wrong; 2 would be right\n"
    assert is_message(text, "a.toml:12: *wrong; *right")
    assert is_message(text, "a.toml:#: *; 2*")
    assert not is_message(text, "a.toml:1: *wrong; *right")
    assert not is_message(text, "a.toml:12: *left; *right")
    assert not is_message(text, "b.toml:12: *wrong; *right")


def test_unknown_command_of_the_front_door(front_door: Program) -> None:
    finished = front_door("walk", "--fast")
    assert is_message(finished.stderr, 'cavern:1: unknown command "walk"; *--help*')
    assert finished.returncode == 2 and finished.stdout == ""
    assert tree(front_door.folder) == {}


def test_front_door_passes_the_status_on(workspace: Workspace, front_door: Program) -> None:
    before = tree(workspace.folder)
    finished = front_door(*RUN, "--trace", "other.csv")
    assert is_message(finished.stderr, "other.csv:1: *; *") and finished.returncode == 2
    assert tree(workspace.folder) == before
