"""What programs and editors read of the configuration: lists, schemas, the page docs/keys.md."""

from __future__ import annotations

import copy
import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from tests.cli.programs import BIN, CONFIGS, ROOT, Json, Program

DRIVES = sorted(CONFIGS.glob("*.toml"))
WORKLOADS = sorted((ROOT / "traces" / "workloads").glob("*.toml"))
PARTS = sorted([*CONFIGS.glob("nand/*.toml"), *CONFIGS.glob("dram/*.toml")])


def printed(*arguments: str) -> str:
    finished = Program(BIN / "cavern-sim", ROOT)("config", *arguments)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def schema() -> Json:
    schema = json.loads(printed("schema"))
    jsonschema.Draft7Validator.check_schema(schema)
    return schema


@pytest.fixture(scope="module")
def listed() -> Json:
    return json.loads(printed("list", "--json"))


def errors(schema: Json, document: Json) -> list[str]:
    return [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(document)]


@pytest.mark.parametrize("drive", DRIVES, ids=lambda path: path.stem)
def test_every_shipped_drive_fits_the_schema(schema: Json, drive: Path) -> None:
    assert errors(schema, tomllib.loads(drive.read_text())) == []


@pytest.mark.parametrize("part", PARTS, ids=lambda path: path.stem)
def test_every_shipped_part_fits_its_schema(part: Path) -> None:
    schema = json.loads(printed("schema", "--part", part.parent.name))
    document = tomllib.loads(part.read_text())
    assert errors(schema, document) == []
    document["no_such_value"] = 1
    assert len(errors(schema, document)) == 1


@pytest.mark.parametrize(
    "broken",
    [
        "[bufer]\nsize = '1MiB'",
        "[buffer]\nsise = '1MiB'",
        "[buffer]\nsize = '1MiBi'",
        "[buffer]\nsize = 1048576",
        "[buffer]\npolicy = 'lru'",
        "[buffer]\neviction = ['cave', 'cave']",
        "[buffer]\neviction = []",
        "[buffer.ref]\nvictims = 0",
        "[buffer.clc]\nalpha = 1.5",
        "[ftl]\noverprovision = 1.0",
        "[nand]\nt_read = ['25us', 5]",
        "[nand]\nchannels = 65",
        "[host]\ninterface = 'scsi'",
        "[cpu]\nmodel = 'sim'",
        "[power_loss]\nrecovery = 'none'",
        "seed = -1",
        "extends = 1",
    ],
)
def test_the_schema_refuses_what_the_program_refuses(
    schema: Json, broken: str, tmp_path: Path
) -> None:
    assert errors(schema, tomllib.loads(broken)) != []
    drive = tmp_path / "drive.toml"
    drive.write_text(broken + "\n")
    finished = Program(BIN / "cavern-sim", tmp_path)("config", "show", drive)
    assert finished.returncode == 2
    assert finished.stderr.startswith(f"error: {drive}:")


JOB = "[[job]]\nrw = 'randwrite'\nsize = '1MiB'\n"


@pytest.fixture(scope="module")
def of_workloads() -> Json:
    schema = json.loads(printed("schema", "--workload"))
    jsonschema.Draft7Validator.check_schema(schema)
    return schema


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda path: path.stem)
def test_every_shipped_workload_fits_its_schema(of_workloads: Json, workload: Path) -> None:
    assert errors(of_workloads, tomllib.loads(workload.read_text())) == []


@pytest.mark.parametrize(
    "broken",
    [
        JOB + "iodpeth = 4",
        JOB + "iodepth = 0",
        JOB + "rwmixread = 101",
        JOB + "bs = 4096.5",
        JOB + "cluster = '128q'",
        JOB + "thinktime = 5",
        JOB + "arrival = 'uniform'",
        JOB + "[jobs]\nrw = 'read'",
        "[[job]]\nrw = 'randwrite'",
        "[job]\nrw = 'randwrite'\nsize = '1MiB'",
    ],
)
def test_the_schema_of_workloads_refuses_what_the_program_refuses(
    of_workloads: Json, broken: str, tmp_path: Path
) -> None:
    assert errors(of_workloads, tomllib.loads(JOB)) == []
    assert errors(of_workloads, tomllib.loads(broken)) != []
    workload = tmp_path / "w.toml"
    workload.write_text(broken + "\n")
    finished = Program(BIN / "cavern-sim", tmp_path)("trace", "generate", workload, "t.csv")
    assert finished.returncode == 2
    assert finished.stderr.startswith(f"error: {workload}:")


def test_keys_of_workloads_are_listed_and_explained() -> None:
    names = [line.split()[0] for line in printed("list", "job").splitlines()[1:]]
    assert names[:3] == ["job.name", "job.rw", "job.rwmixread"] and len(names) > 30
    assert "target.address_space_gib" in printed("list", "target")
    for name in names:
        assert printed("explain", name).startswith(f"{name}: ")
    rw = printed("explain", "job.rw")
    assert "randrw: Reads and writes go to random places" in rw and "default  required" in rw
    assert printed("explain", "job") == printed("list", "job")
    finished = Program(BIN / "cavern-sim", ROOT)("config", "explain", "job.iodpeth")
    assert finished.returncode == 2
    assert 'unknown key "job.iodpeth"; did you mean "job.iodepth"?' in finished.stderr


def test_keys_of_look_ups_are_listed_explained_and_in_a_schema() -> None:
    program = Program(BIN / "cavern-lookup", ROOT)
    settings = ROOT / "papers" / "lookup" / "cache.toml"
    schema = json.loads(program("config", "schema").stdout)
    shown = tomllib.loads(program("config", "show", settings).stdout)
    assert errors(schema, tomllib.loads(settings.read_text())) == errors(schema, shown) == []
    assert len(errors(schema, {**shown, "grups": 4})) == 1
    listed = [line.split()[0] for line in program("config", "list").stdout.splitlines()[1:]]
    assert listed == list(shown)
    assert program("config", "explain", "played_on").stdout.startswith("played_on: what plays")
    mistyped = program("config", "show", settings, "--set", "grups=4")
    assert mistyped.returncode == 2
    assert 'unknown key "grups"; did you mean "groups"?' in mistyped.stderr


def test_the_schema_takes_what_show_prints(schema: Json) -> None:
    shown = tomllib.loads(printed("show", str(CONFIGS / "cave.toml")))
    assert errors(schema, shown) == []
    without_policy = copy.deepcopy(schema)
    del without_policy["properties"]["buffer"]["properties"]["policy"]
    assert len(errors(without_policy, shown)) == 1


def test_every_key_has_a_sentence_default_and_type_in_the_schema(
    schema: Json, listed: Json
) -> None:
    for key in listed["keys"]:
        at = schema
        for word in key["name"].split("."):
            at = at["properties"][word]
        assert key["meaning"] in at["description"]
        assert ("default" in at) == (key["default"] is not None)


def test_the_list_has_every_key_and_its_words_have_sentences(listed: Json) -> None:
    names = [key["name"] for key in listed["keys"]]
    assert len(names) == len(set(names))
    assert names == [line.split()[0] for line in printed("list").splitlines()[1:]]
    for key in listed["keys"]:
        assert key["type"] and key["meaning"] and key["accepts"]
        assert ("words" in key) == (key["type"] in ("word", "words"))
        for word in key.get("words", []):
            assert word["meaning"], (key["name"], word["name"])


def test_the_tables_name_their_rows_and_keys(listed: Json) -> None:
    tables = listed["tables"]
    names = {key["name"] for key in listed["keys"]}
    words = {key["name"]: key["words"] for key in listed["keys"] if "words" in key}
    for table, rows in tables.items():
        if table not in names:
            assert table in ("trace_formats", "trace_output_formats")
            continue
        rows_of_key = [word["name"] for word in words[table] if word["name"] != "none"]
        assert rows_of_key == [row["name"] for row in rows]
        assert {key for row in rows for key in row.get("keys", [])} <= names
    ref = next(row for row in tables["buffer.policy"] if row["name"] == "ref")
    assert ref["keys"] == ["buffer.ref.window", "buffer.ref.victims", "buffer.ref.refill"]


def test_a_section_lists_its_keys_alone() -> None:
    lines = printed("list", "buffer.ref").splitlines()
    assert [line.split()[0] for line in lines] == [
        "key",
        "buffer.ref.window",
        "buffer.ref.victims",
        "buffer.ref.refill",
    ]
    assert [
        key["name"] for key in json.loads(printed("list", "alloc.adaptive", "--json"))["keys"]
    ] == [
        "alloc.adaptive.epoch",
        "alloc.adaptive.hysteresis",
    ]
    finished = Program(BIN / "cavern-sim", ROOT)("config", "list", "bufer")
    assert finished.returncode == 2
    assert finished.stderr.startswith(
        'error: <command line>:1: unknown section "bufer"; did you mean'
    )


def test_the_page_of_keys_is_what_the_program_prints() -> None:
    page = (ROOT / "docs" / "keys.md").read_text()
    assert page == printed("list", "--markdown"), "./cavern config list --markdown > docs/keys.md"
