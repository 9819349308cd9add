"""Faults that only certain shapes, parameters, resets and times show are found."""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tb import model_mutation, shape_mutation
from tb.shape_mutation import POLICIES

pytestmark = pytest.mark.slow


def run_every_shape(program: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(program), *map(str, arguments)]
    return subprocess.run(
        command, cwd=program.parent, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.nightly
@pytest.mark.parametrize(
    "mutant", shape_mutation.MUTANTS, ids=lambda mutant: f"{mutant.what}, {mutant.fault}"
)
def test_a_mutant_of_the_rtl_is_found_in_every_shape(mutant: shape_mutation.Mutant) -> None:
    assert shape_mutation.judge(mutant) != ""


@pytest.mark.nightly
@pytest.mark.parametrize("mutant", model_mutation.MUTANTS, ids=lambda mutant: str(mutant.fault))
def test_a_mutant_of_the_model_is_found(mutant: model_mutation.Mutant) -> None:
    assert model_mutation.judge(mutant) != ""


@pytest.mark.nightly
@pytest.mark.parametrize("what", [*POLICIES, "allocator"])
def test_the_rtl_with_other_parameters_agrees_with_its_twin(what: str, tmp_path: Path) -> None:
    # Drawn anew each time: weights, numbers of channels and of victims, and the streams.
    seed = random.SystemRandom().randrange(1, 2**31)
    print(f"seed {seed}")
    program = shape_mutation.build(tmp_path, what, seed)
    finished = run_every_shape(program, what, seed, 300_000)
    assert finished.returncode == 0, f"seed {seed}: {finished.stderr}"


def test_a_property_that_fails_is_told_with_its_shape_and_waves(tmp_path: Path) -> None:
    # The allocator has the cheapest models: this control runs every time.
    broken = shape_mutation.Mutant(
        "a channel that is busy",
        "channel_allocator.sv",
        "allocator",
        (("assign open    = ~busy_i;", "assign open    = NumWays == 11 ? '1 : ~busy_i;"),),
    )
    program = shape_mutation.build(
        tmp_path, broken.what, broken.seed, {broken.source: broken.text()}
    )
    finished = run_every_shape(program, "allocator", 1, 10_000)
    assert finished.returncode == 1
    assert re.search(r"11 ways, 32 victims: RTL and twin differ|property failed", finished.stderr)
    (waves,) = tmp_path.glob("*.fst")
    assert waves.name == "every-shape-allocator-1.fst" and waves.stat().st_size > 1000
    assert f"the last edges are in {waves.name}" in finished.stderr


MUTANT = next(m for m in model_mutation.MUTANTS if m.tests == model_mutation.QUEUE)


def test_a_mutant_of_the_queue_is_found() -> None:
    assert model_mutation.judge(MUTANT) != ""


def test_the_model_as_it_is_passes_what_finds_its_mutants() -> None:
    assert model_mutation.judge(replace(MUTANT, after=MUTANT.before)) == ""


def test_a_mutant_of_a_line_that_is_gone_is_an_error() -> None:
    for module in (shape_mutation, model_mutation):
        with pytest.raises(module.ToolError, match="must be there exactly once"):
            if module is shape_mutation:
                replace(shape_mutation.MUTANTS[0], edits=(("no such line", ""),)).text()
            else:
                replace(model_mutation.MUTANTS[0], before="no such line").text()


@pytest.mark.parametrize(
    "mutant", [*shape_mutation.MUTANTS, *model_mutation.MUTANTS], ids=lambda mutant: mutant.fault
)
def test_every_mutant_can_be_made(
    mutant: shape_mutation.Mutant | model_mutation.Mutant,
) -> None:
    assert mutant.text()
