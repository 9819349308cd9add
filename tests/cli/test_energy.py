"""Energy of a run against counts of its summary, and power over time against the whole."""

from __future__ import annotations

import csv
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cavern.plots.figures import power as power_figure
from cavern.plots.figures.options import Options
from cavern.plots.finding import load_runs
from cavern.plots.power_csv import read_power

from tests.cli.programs import BIN, CONFIGS, ROOT, Json, Program, sets

#: As in configs/nand/slc-k9xxg08uxa.toml: volts, amperes, seconds.
VCC, ICC = 3.3, 0.015
T_READ, T_PROGRAM, T_ERASE = 25e-6, 200e-6, 1500e-6
PAGE_BYTES, BYTE_S = 2112, 30e-9
#: As in configs/dram/ddr3-1600-2gb-x16.toml.
VDD, DEVICES, T_CK = 1.5, 4, 1.25e-9
IDD0, IDD2N, IDD3N, IDD4R, IDD4W, IDD5 = 0.110, 0.042, 0.045, 0.270, 0.280, 0.215
T_RC, T_RAS, T_RFC = 38, 28, 128
LINK_J, CONTROLLER_W = 40e-12, 1.5

DRIVE: dict[str, object] = {
    "nand__channels": 2,
    "nand__ways": 2,
    "nand__blocks_per_plane": 64,
    "buffer__size": "64KiB",
    "workload__out_of_range": "wrap",
    "precondition__fill": 0.9,
    "precondition__overwrite": 0.5,
    "dram__part": "ddr3-1600-2gb-x16",
    "host__link_energy": "40pJ",
    "controller__power": "1500mW",
}
MIXED = ["--workload", ROOT / "traces" / "workloads" / "mixed-70-30.toml", "--limit", 6000]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(BIN / "cavern-sim", tmp_path_factory.mktemp("energy"))


@pytest.fixture(scope="module")
def whole(program: Program) -> Json:
    return program.simulate(
        CONFIGS / "conventional.toml", "whole", *MIXED, "--power", "whole/power.csv", *sets(**DRIVE)
    )


def expected(summary: Json) -> dict[str, float]:
    """Operations times energy per operation."""
    dies, dram = summary["dies"], summary["dram"]
    count = {name: sum(die[name] for die in dies) for name in ("reads", "programs", "erases")}
    span = summary["sim"]["simulated_ns"] * 1e-9
    active = dram["row_open_ns"] * 1e-9
    row = IDD0 * T_RC - IDD3N * T_RAS - IDD2N * (T_RC - T_RAS)
    clock = DEVICES * VDD * T_CK
    host = summary["host"]
    return {
        "nand_by.read": count["reads"] * VCC * ICC * T_READ,
        "nand_by.program": count["programs"] * VCC * ICC * T_PROGRAM,
        "nand_by.erase": count["erases"] * VCC * ICC * T_ERASE,
        "bus": (count["reads"] + count["programs"]) * PAGE_BYTES * BYTE_S * VCC * ICC,
        "dram_by.activate": dram["activates"] * row * clock,
        "dram_by.read": dram["read_bursts"] * 4 * (IDD4R - IDD3N) * clock,
        "dram_by.write": dram["write_bursts"] * 4 * (IDD4W - IDD3N) * clock,
        "dram_by.refresh": dram["refreshes"] * T_RFC * (IDD5 - IDD3N) * clock,
        "dram_by.active": DEVICES * VDD * IDD3N * active,
        "dram_by.precharged": DEVICES * VDD * IDD2N * (span - active),
        "link": (host["read"]["bytes"] + host["write"]["bytes"]) * LINK_J,
        "controller": span * CONTROLLER_W,
    }


def told(summary: Json, name: str) -> float:
    value: Any = summary["energy_j"]
    for key in name.split("."):
        value = value[key]
    return float(sum(value) if isinstance(value, list) else value)


def differences(summary: Json) -> set[str]:
    """Energies that differ by more than 0.1 % from operations times energy per operation."""
    parts = expected(summary)
    sums = {
        **parts,
        "nand": sum(value for name, value in parts.items() if name.startswith("nand_by")),
        "dram": sum(value for name, value in parts.items() if name.startswith("dram_by")),
        "total": sum(parts.values()),
    }
    return {
        name
        for name, value in sums.items()
        if told(summary, name) != pytest.approx(value, rel=1e-3)
    }


def test_energy_is_operations_times_energy_per_operation(whole: Json) -> None:
    assert all(value > 0 for value in expected(whole).values())
    assert differences(whole) == set()
    energy = whole["energy_j"]
    requests = sum(whole["host"][op]["count"] for op in ("read", "write", "trim", "flush"))
    for name in ("nand", "bus", "dram", "link", "controller", "total"):
        assert energy["per_request"][name] == pytest.approx(energy[name] / requests)
    span = whole["sim"]["simulated_ns"] * 1e-9
    assert energy["mean_power_w"] == pytest.approx(energy["total"] / span, rel=1e-3)
    assert energy["nand_by"]["standby"] is None


def test_another_current_or_count_is_seen(program: Program, whole: Json) -> None:
    other = {**DRIVE, "nand__icc_read": "15.1mA", "dram__idd5": "217mA"}
    summary = program.simulate(CONFIGS / "conventional.toml", "other", *MIXED, *sets(**other))
    assert differences(summary) == {"nand_by.read", "dram_by.refresh"} | (
        differences(summary) & {"nand", "dram", "total"}
    )
    miscounted = json.loads(json.dumps(whole))
    miscounted["dies"][0]["erases"] += 1 + sum(die["erases"] for die in whole["dies"]) // 100
    assert "nand_by.erase" in differences(miscounted)


def test_energy_counts_from_the_end_of_the_warm_up(program: Program) -> None:
    summary = program.simulate(
        CONFIGS / "conventional.toml", "warm", *MIXED, "--warmup", 3000, *sets(**DRIVE)
    )
    wrong = differences(summary)  # simulated_ns is of the whole run
    assert wrong <= {"dram_by.precharged", "controller", "dram", "total"}
    assert "controller" in wrong


def test_page_types_and_suspended_operations_have_their_times(program: Program) -> None:
    """Of a TLC part, from the timeline: every piece of array time at the current of its kind."""
    settings: dict[str, object] = {
        "nand__channels": 2,
        "nand__ways": 1,
        "nand__blocks_per_plane": 24,
        "ftl__overprovision": 0.4,
        "nand__vcc": "2.5V",
        "nand__icc_read": "20mA",
        "nand__icc_program": "30mA",
        "nand__icc_erase": "25mA",
        "nand__program_suspend": "true",
        "nand__t_suspend": "20us",
        "buffer__size": "256KiB",
        "workload__out_of_range": "wrap",
        "precondition__fill": 0.5,
    }
    summary = program.simulate(
        CONFIGS / "tlc-modern.toml",
        "tlc",
        "--workload",
        ROOT / "traces" / "workloads" / "mixed-70-30.toml",
        "--limit",
        3000,
        "--timeline",
        "tlc/timeline.json",
        *sets(**settings),
    )
    assert sum(die["suspensions"] for die in summary["dies"]) > 0
    spans = json.loads((program.folder / "tlc" / "timeline.json").read_text())["traceEvents"]
    busy = {name: 0.0 for name in ("tR", "tPROG", "tBERS")}
    for span in spans:
        if span.get("ph") == "X" and span["name"] in busy:
            busy[span["name"]] += span["dur"] * 1e-6
    energy = summary["energy_j"]["nand_by"]
    assert len(energy["read"]) == len(energy["program"]) == 3
    assert min(energy["read"]) > 0 and min(energy["program"]) > 0
    assert sum(energy["read"]) == pytest.approx(2.5 * 0.020 * busy["tR"], rel=1e-3)
    assert sum(energy["program"]) == pytest.approx(2.5 * 0.030 * busy["tPROG"], rel=1e-3)
    assert energy["erase"] == pytest.approx(2.5 * 0.025 * busy["tBERS"], rel=1e-3)


def test_a_word_line_takes_the_energy_of_its_program(program: Program) -> None:
    """One-shot programs are of one type; a command has one time, whatever planes it names."""
    settings: dict[str, object] = {
        "nand__channels": 2,
        "nand__ways": 1,
        "nand__planes": 1,
        "nand__blocks_per_plane": 96,
        "nand__pages_per_block": 48,
        "ftl__overprovision": 0.4,
        "nand__vcc": "2.5V",
        "nand__icc_read": "20mA",
        "nand__icc_program": "30mA",
        "nand__icc_erase": "25mA",
        "nand__one_shot": "true",
        "buffer__size": "768KiB",
        "workload__out_of_range": "wrap",
        "precondition__fill": 1,
    }
    for time, took in (("0ps", 1650e-6), ("1200us", 1200e-6)):
        summary = program.simulate(
            CONFIGS / "tlc-modern.toml",
            "shot",
            "--workload",
            ROOT / "traces" / "workloads" / "mixed-70-30.toml",
            "--limit",
            3000,
            *sets(**settings, nand__t_program_one_shot=time),
        )
        dies = summary["dies"]
        word_lines = sum(die["one_shots"] for die in dies)
        assert word_lines > 0
        assert sum(die["programs"] for die in dies) == 3 * word_lines
        energy = summary["energy_j"]["nand_by"]["program"]
        assert energy == pytest.approx([word_lines * 2.5 * 0.030 * took], rel=1e-3)
        # Of another number of word lines it would differ.
        assert energy != pytest.approx([(word_lines * 1.002) * 2.5 * 0.030 * took], rel=1e-3)


def test_a_part_without_currents_has_no_energy(program: Program) -> None:
    summary = program.simulate(
        CONFIGS / "tlc-modern.toml",
        "none",
        "--workload",
        ROOT / "traces" / "workloads" / "random-write.toml",
        "--limit",
        200,
    )
    energy = summary["energy_j"]
    parts = ("nand", "nand_by", "bus", "dram", "dram_by", "link", "controller", "total")
    assert {name: energy[name] for name in parts} == dict.fromkeys(parts)
    assert energy["mean_power_w"] is None and set(energy["per_request"].values()) == {None}
    assert summary["config"]["nand"]["vcc"] == "unknown"


def test_an_estimate_of_the_currents_of_tlc_is_there_for_whoever_asks(program: Program) -> None:
    parts = {
        name: tomllib.loads((CONFIGS / "nand" / f"{name}.toml").read_text())
        for name in ("tlc-16k", "tlc-16k-currents")
    }
    plain, estimated = parts.values()
    currents = estimated.pop("currents")
    assert currents["source"].startswith("estimate: ") and "estimated" in estimated.pop("name")
    del plain["name"]
    assert estimated == plain  # and nothing else differs
    out = program.simulate(
        CONFIGS / "tlc-modern.toml",
        "estimated",
        "--workload",
        ROOT / "traces" / "workloads" / "mixed-70-30.toml",
        "--limit",
        3000,
        *sets(
            nand__part="tlc-16k-currents",
            nand__blocks_per_plane=48,
            nand__pages_per_block=48,
            ftl__overprovision=0.2,
            buffer__size="1MiB",
            precondition__fill=1,
            workload__out_of_range="wrap",
        ),
    )
    energy = out["energy_j"]
    busy = sum(die["busy_ns"] for die in out["dies"]) * 1e-9
    assert busy > 0 and sum(energy["nand_by"]["program"]) > 0
    idle = out["sim"]["simulated_ns"] * 1e-9 * len(out["dies"]) - busy
    assert energy["nand"] == pytest.approx(3.3 * (25e-3 * busy + 10e-6 * idle), rel=1e-3)
    assert energy["bus"] is None and energy["total"] == energy["nand"]


def test_a_die_that_reads_without_a_pause_takes_the_power_of_its_data_sheet(
    program: Program,
) -> None:
    """ICC1 is measured over page reads with serial access: 3.3 V · 15 mA."""
    one_die: dict[str, object] = {
        "nand__channels": 1,
        "nand__ways": 1,
        "nand__blocks_per_plane": 64,
        "precondition__fill": 1.0,
        "host__interface": "direct",
        "host__bandwidth": "1GB/s",
        "workload__out_of_range": "wrap",
        "workload__arrival": "closed",
    }
    trace = program.folder / "reads.csv"
    rows = [f"0,R,{2048 * (i % 2000)},2048" for i in range(2000)]
    trace.write_text("\n".join(["time_us,op,offset,size", *rows, ""]))
    summary = program.simulate(
        CONFIGS / "conventional.toml", "reads", "--trace", trace, *sets(**one_die)
    )
    energy = summary["energy_j"]
    power = (energy["nand"] + energy["bus"]) / (summary["sim"]["simulated_ns"] * 1e-9)
    assert sum(die["reads"] for die in summary["dies"]) == 2000
    assert power == pytest.approx(VCC * ICC, rel=0.1)
    assert energy["nand"] / (summary["sim"]["simulated_ns"] * 1e-9) < 0.5 * VCC * ICC


def test_a_measured_part_erases_with_the_energy_that_the_model_gives(program: Program) -> None:
    """Energy of a byte, measured by Mathur et al. (IPSN 2006): erase met, read and program not."""
    currents = {f"nand__icc_{name}": "10mA" for name in ("read", "program", "erase", "bus")}
    toshiba: dict[str, object] = {
        **DRIVE,
        **currents,
        "nand__page_size": "512B",
        "nand__spare_size": "16B",
        "nand__pages_per_block": 32,
        "nand__t_read": "25us",
        "nand__t_program": "200us",
        "nand__t_erase": "2ms",
        "nand__bus_cycle": "50ns",
    }
    summary = program.simulate(CONFIGS / "conventional.toml", "toshiba", *MIXED, *sets(**toshiba))
    energy, dies = summary["energy_j"], summary["dies"]
    count = {name: sum(die[name] for die in dies) for name in ("reads", "programs", "erases")}
    bus = energy["bus"] / (count["reads"] + count["programs"])
    each = {
        "erase": energy["nand_by"]["erase"] / count["erases"] / (32 * 512),
        "read": (told(summary, "nand_by.read") / count["reads"] + bus) / 512,
        "program": (told(summary, "nand_by.program") / count["programs"] + bus) / 512,
    }
    measured = {"erase": 4e-9, "read": 4e-9, "program": 9e-9}
    met = {name for name in each if each[name] == pytest.approx(measured[name], rel=0.1)}
    assert met == {"erase"}
    told_in_docs = {"erase": 4.03e-9, "read": 3.31e-9, "program": 14.6e-9}  # docs/energy.md
    assert each == pytest.approx(told_in_docs, rel=0.005)


def sums_of(path: Path) -> dict[str, float]:
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {
        part: sum(float(row[f"{part}_w"]) * float(row["period_ns"]) * 1e-9 for row in rows)
        for part in ("nand", "bus", "dram", "link", "controller")
    }


@pytest.mark.parametrize("warmup", [0, 3000])
def test_power_over_time_adds_up_to_the_energy(program: Program, warmup: int) -> None:
    out = f"power{warmup}"
    summary = program.simulate(
        CONFIGS / "conventional.toml",
        out,
        *MIXED,
        "--warmup",
        warmup,
        "--power",
        f"{out}/power.csv",
        *sets(**DRIVE, nand__icc_standby="10uA"),
    )
    sums = sums_of(program.folder / out / "power.csv")
    for part, value in sums.items():
        # Array operations under way at the end of the warm-up are counted by none of the two.
        assert value == pytest.approx(summary["energy_j"][part], rel=2e-3), part
    assert sums["nand"] > 0
    lines = (program.folder / out / "power.csv").read_text().splitlines()
    assert 100 < len(lines) <= 1 + 4096


def test_power_is_drawn(program: Program, whole: Json) -> None:
    run = load_runs([program.folder / "whole"])[0]
    figure = power_figure.draw(run, Options())
    legend = figure.axes[0].get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["NAND", "bus", "SDRAM", "link", "controller"]
    power = read_power(program.folder / "whole" / "power.csv")
    joined = power_figure.coarse(power)
    assert len(joined.edges) <= 1 + power_figure.MOST_STEPS
    for part, row in power.watts.items():
        before = float((row * (power.edges[1:] - power.edges[:-1])).sum())
        after = float((joined.watts[part] * (joined.edges[1:] - joined.edges[:-1])).sum())
        assert after == pytest.approx(before), part
    assert whole["energy_j"]["total"] > 0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"nand__part": "tlc-16k", "nand__icc_read": "25mA"},
            "nand.icc_read without nand.vcc; both, or neither",
        ),
        (
            {"nand__iccq_bus": "15mA"},
            "nand.iccq_bus without nand.vccq; both, or neither",
        ),
        (
            {"dram__vdd": "1.5V"},
            "some currents of the SDRAM are given, and not dram.devices; ",
        ),
        (
            {"dram__part": "ddr3-1600-2gb-x16", "dram__idd4r": "40mA"},
            "dram.idd4r lies below the background current; ",
        ),
        ({"nand__icc_read": "15"}, 'unknown, or a current in nA, uA, mA or A, such as "15mA"'),
        ({"nand__vcc": "200V"}, "unknown, or a voltage in mV or V"),
        ({"fidelity": "untimed"}, "--power shows times, and the run has none"),
    ],
)
def test_supplies_that_do_not_fit_are_refused(
    program: Program, settings: dict[str, object], said: str
) -> None:
    finished = program(
        "run", CONFIGS / "conventional.toml", *MIXED, "--power", "x.csv", *sets(**settings)
    )
    assert finished.returncode == 2
    assert finished.stderr.startswith("error: <command line>:")
    assert said in finished.stderr
