"""Fields of summary.json: each is declared, printed from its declaration, and documented."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.programs import BIN, CONFIGS, ROOT, Json, Program, sets

DFTL: dict[str, object] = {
    "ftl__scheme": "dftl",
    "alloc__scheme": "stripe-page",
    "ftl__overprovision": 0.2,
}
FAST: dict[str, object] = {
    "ftl__scheme": "fast",
    "alloc__scheme": "stripe-block",
    "ftl__overprovision": 0.2,
    "ftl__log_blocks": 16,
}
STEADY: dict[str, object] = {
    "precondition__fill": 1.0,
    "precondition__until": "steady",
    "fidelity": "untimed",
}
#: Settings of runs that have between them every field there is, but those of of_schemes().
RUNS: dict[str, dict[str, object]] = {
    "timed": {},
    "untimed": {"fidelity": "untimed"},
    "nvme": {"host__interface": "nvme", "host__queues": 2},
    "lockstep": {"channel__arbiter": "lockstep"},
    "dftl": {**DFTL, "ftl__dftl__cmt": 64},
    "adaptive": {**DFTL, "ftl__partition": "adaptive"},
    "fast": FAST,
    "steady": STEADY,
    "lifetime": {"nand__endurance": 1000, "precondition__fill": 1.0},
    "multichip": {"buffer__policy": "multichip", "buffer__eviction": '["single", "idle"]'},
    "through": {"buffer__policy": "none"},
    "ideal": {"dram__model": "ideal"},
    "data": {"data__store": "full"},
    "energy": {"dram__part": "ddr3-1600-2gb-x16"},
    "processors": {"cpu__model": "cost"},
    "firmware": {"cpu__decides": "lockstep"},
    "fdp": {"host__fdp__handles": 2, "ftl__overprovision": 0.2},
    "zoned": {"ftl__scheme": "zoned"},
    "executed": {"cpu__model": "iss"},
    "ecc": {"ecc__engine": "per-channel", "ecc__errors": "mlc-2ynm"},
    "power": {"power_loss__at": "20ms", "ftl__overprovision": 0.2},
    "closed": {"workload__arrival": "closed"},
    "jobs": {},
    "sampled": {
        "fidelity": "sampled",
        "workload__arrival": "closed",
        "sampled__windows": 5,
        "sampled__requests": 50,
    },
}
#: Of those that do not play mixed-70-30.toml.
WORKLOADS = {"jobs": "two-lifetimes.toml"}
SMALL: dict[str, object] = {
    "nand__channels": 2,
    "nand__ways": 2,
    "nand__blocks_per_plane": 64,
    "buffer__size": "64KiB",
    "workload__out_of_range": "wrap",
}


def of_schemes(program: Program, declared: dict[str, Json]) -> dict[str, dict[str, object]]:
    """A run of each scheme with fields of its own, SECTION.SCHEME.FIELD, that RUNS has not."""
    played = {word for settings in RUNS.values() for word in re.findall(r"[\w-]+", str(settings))}
    return {
        word["name"]: {key["name"].replace(".", "__"): word["name"]}
        for key in json.loads(program("config", "list", "--json").stdout)["keys"]
        for word in key.get("words", [])
        if any(path.startswith(f"{key['section']}.{word['name']}.") for path in declared)
        and word["name"] not in played
    }


@pytest.fixture(scope="module")
def summaries(
    tmp_path_factory: pytest.TempPathFactory, declared: dict[str, Json]
) -> dict[str, Json]:
    """The summary of each of those runs."""
    program = Program(BIN / "cavern-sim", tmp_path_factory.mktemp("summaries"))
    runs = RUNS | of_schemes(program, declared)
    folder = ROOT / "traces" / "workloads"
    arguments = ["--limit", 4000]
    logged = ["--decisions", "decisions.jsonl"]  # which a sampled run refuses
    return {
        name: program.simulate(
            CONFIGS / "conventional.toml",
            name,
            *("--workload", folder / WORKLOADS.get(name, "mixed-70-30.toml")),
            *arguments,
            *(logged if name != "sampled" else []),
            *sets(**{**SMALL, **settings}),
        )
        for name, settings in runs.items()
    }


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """What `cavern-sim results ...` prints."""
    program = Program(BIN / "cavern-sim", tmp_path_factory.mktemp("told"))

    def tell(*arguments: str) -> str:
        finished = program("results", *arguments)
        assert (finished.returncode, finished.stderr) == (0, "")
        return finished.stdout

    return tell


@pytest.fixture(scope="module")
def declared(told: Callable[..., str]) -> dict[str, Json]:
    """Every declared field by its path."""
    fields = json.loads(told("list", "--json"))
    assert len({field["path"] for field in fields}) == len(fields)
    return {field["path"]: field for field in fields}


@pytest.fixture(scope="module")
def schema(told: Callable[..., str]) -> Json:
    schema: Json = json.loads(told("schema"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


def paths(value: Any, path: str = "") -> Iterator[str]:
    """The path of every field; what is below "config" has a list of its own."""
    if isinstance(value, dict) and path != "config":
        for name, below in value.items():
            inner = f"{path}.{name}" if path else name
            yield inner
            yield from paths(below, inner)
    elif isinstance(value, list):
        for below in value:
            if isinstance(below, dict):
                yield from paths(below, f"{path}[]")


def undeclared(summary: Json, declared: dict[str, Json]) -> set[str]:
    return set(paths(summary)) - set(declared)


def never_seen(summaries: dict[str, Json], declared: dict[str, Json]) -> set[str]:
    seen = {path for summary in summaries.values() for path in paths(summary)}
    return set(declared) - seen


@pytest.mark.slow
def test_every_field_of_a_summary_is_declared(
    summaries: dict[str, Json], declared: dict[str, Json]
) -> None:
    assert {name: undeclared(summary, declared) for name, summary in summaries.items()} == {
        name: set() for name in summaries
    }
    strange = copy.deepcopy(summaries["timed"])
    strange["ftl"]["wear"]["median"] = 1
    strange["dies"][1]["colour"] = "red"
    assert undeclared(strange, declared) == {"ftl.wear.median", "dies[].colour"}


@pytest.mark.slow
def test_every_field_declared_is_in_a_summary(
    summaries: dict[str, Json], declared: dict[str, Json]
) -> None:
    assert never_seen(summaries, declared) == set()
    fewer = {name: summary for name, summary in summaries.items() if name != "nvme"}
    assert "host.queues[].priority" in never_seen(fewer, declared)


def test_a_scheme_with_counters_of_its_own_is_played(
    tmp_path: Path, declared: dict[str, Json], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Program(BIN / "cavern-sim", tmp_path)
    played = {name: run for name, run in RUNS.items() if name != "multichip"}
    monkeypatch.setattr("tests.cli.test_summary_fields.RUNS", played)
    found = of_schemes(program, declared)
    assert found["multichip"] == {"buffer__policy": "multichip"}
    assert found["idle"] == {"buffer__eviction": "idle"}


def test_every_field_has_a_sentence_and_every_counter_a_unit(declared: dict[str, Json]) -> None:
    for path, field in declared.items():
        assert field["meaning"][0].isupper() or field["meaning"].startswith(("tlm", "static"))
        assert field["meaning"].endswith("."), path
        number = field["type"] in ("integer", "number")
        named = {"seed", "host.queues[].id", "host.jobs[].id", "channels[].id", "dies[].channel"}
        named |= {"dies[].slot", "dies[].way"}
        assert bool(field["unit"]) == (number and path not in named), path


@pytest.mark.slow
def test_each_summary_is_what_the_schema_says(summaries: dict[str, Json], schema: Json) -> None:
    for summary in summaries.values():
        jsonschema.validate(summary, schema)


def lose(summary: Json) -> None:
    del summary["ftl"]["merges"]["switch"]


def add(summary: Json) -> None:
    summary["host"]["read"]["lat_ns"]["p42"] = 1


def misspell(summary: Json) -> None:
    summary["dies"][0]["slot"] = "0"


def negate(summary: Json) -> None:
    summary["buffer"]["victims"] = -1


def rename(summary: Json) -> None:
    summary["schema"] = "cavern.summary/0"


@pytest.mark.slow
@pytest.mark.parametrize("damage", [lose, add, misspell, negate, rename])
def test_another_summary_is_refused(
    damage: Callable[[Json], None], summaries: dict[str, Json], schema: Json
) -> None:
    damaged = copy.deepcopy(summaries["timed"])
    damage(damaged)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(damaged, schema)


def test_fields_that_depend_on_the_machine_are_marked(declared: dict[str, Json]) -> None:
    assert {path for path, field in declared.items() if field["measured"]} == {
        "sim.wall_s",
        "sim.requests_per_wall_s",
        "sim.flash_ops_per_wall_s",
        "sim.peak_rss_bytes",
        "run.command",
        "run.started",
        "run.files[].path",
    }


def test_old_names_stand_beside_the_new(
    summaries: dict[str, Json], declared: dict[str, Json]
) -> None:
    old = {path: field["deprecated"] for path, field in declared.items() if field["deprecated"]}
    assert old["dies[].way"] == "dies[].slot"
    assert old["ftl.cmt.batches"] == "ftl.map_cache.batches"
    assert set(old.values()) <= set(declared)
    for summary in summaries.values():
        assert summary["ftl"]["cmt"] == summary["ftl"]["map_cache"]
        assert all(die["way"] == die["slot"] for die in summary["dies"])
    assert summaries["dftl"]["ftl"]["cmt"]["write_misses"] > 0


def test_a_scheme_that_is_not_in_use_counts_nothing(summaries: dict[str, Json]) -> None:
    assert summaries["dftl"]["ftl"]["map_pages_written"] > 0
    assert summaries["timed"]["ftl"]["map_pages_written"] == 0
    assert summaries["dftl"]["ftl"]["map_cache"]["batches"] > 0
    assert summaries["fast"]["ftl"]["map_cache"]["batches"] == 0
    assert summaries["fast"]["ftl"]["map_cache"]["log_collections"] > 0
    assert summaries["dftl"]["ftl"]["map_cache"]["log_collections"] == 0


def test_counters_of_policy_and_trigger_are_those_of_the_ones_in_use(
    summaries: dict[str, Json],
) -> None:
    buffer = summaries["multichip"]["buffer"]
    own = buffer["multichip"]
    assert own["idle_die_victims"] + own["lru_victims"] == buffer["victims"] > 0
    assert "idle" in buffer
    for name in ("timed", "through", "untimed"):
        assert not {"multichip", "idle"} & set(summaries[name]["buffer"])


def test_the_fields_documented_are_those_of_the_program(told: Callable[..., str]) -> None:
    committed = (ROOT / "docs" / "summary-fields.md").read_text(encoding="utf-8")
    assert committed == told("list", "--markdown"), (
        "./cavern results list --markdown > docs/summary-fields.md"
    )


def test_the_list_names_every_field(told: Callable[..., str], declared: dict[str, Json]) -> None:
    lines = told("list").splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(declared)


def test_json_and_markdown_exclude_each_other(tmp_path: Path) -> None:
    finished = Program(BIN / "cavern-sim", tmp_path)("results", "list", "--json", "--markdown")
    assert finished.returncode == 2
    assert finished.stderr.startswith("error: <command line>:1: ")
