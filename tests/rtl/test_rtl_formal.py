"""The arbiter's properties are proven for every shape, and each of them can fail."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tb.formal import designs, prove
from tb.formal.designs import WAYS, Design
from tb.formal.prove import Part, Result

pytestmark = pytest.mark.slow

SHAPES = [Design(ways, policy) for policy in designs.POLICIES for ways in WAYS]
#: What more ways than these show, fewer show as well, at a tenth of the solver's time.
MOST_BY_DAY = 4


def at_night(design: Design) -> list[pytest.MarkDecorator]:
    return [pytest.mark.nightly] if design.ways > MOST_BY_DAY else []


def shapes(of: Iterable[Design]) -> list[Any]:
    """As parameters of a test, the large ones for the night."""
    return [pytest.param(design, marks=at_night(design)) for design in of]


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.mark.parametrize("design", shapes(SHAPES), ids=str)
def test_every_property_is_proven_for_any_number_of_steps(
    design: Design, pool: ThreadPoolExecutor
) -> None:
    results, _ = prove.prove(design, pool)
    assert [name for name, result in results if not result.passed] == []
    assert {name for name, _ in results} >= {"base", "order"}


#: Numbers of ways that no model of the product has.
OTHER_SHAPES = [Design(ways, policy) for policy in designs.POLICIES for ways in (3, 5, 6, 7, 12)]


@pytest.mark.nightly
@pytest.mark.parametrize("design", OTHER_SHAPES, ids=str)
def test_every_property_is_proven_where_the_ways_are_no_power_of_two(
    design: Design, pool: ThreadPoolExecutor
) -> None:
    results, _ = prove.prove(design, pool)
    assert [name for name, result in results if not result.passed] == []


def test_a_turn_that_skips_way_0_of_three_is_refuted() -> None:
    skips = Design(3, 0).broken(
        "round_robin.sv",
        "(|ahead) ? ahead : want_i;",
        "(|ahead) ? ahead : (|(want_i & ~One)) ? want_i & ~One : want_i;",
    )
    assert not prove.refute(skips, ("WaitIsBounded", "ServedInTurn"), 8).passed


FAMILIES = (designs.CHANNEL, designs.WEIGHTED_FAMILY)


@pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family in FAMILIES for name in family.properties]
)
def test_a_broken_design_fails_the_property(family: designs.Family, name: str) -> None:
    broken = designs.broken_design(name, family)
    found = prove.refute(broken, (name,), designs.REFUTED_IN[broken.policy])
    assert not found.passed
    assert found.failed == (name,)


@pytest.mark.parametrize("policy", designs.POLICIES)
def test_the_arbiter_as_it_is_passes_the_same_search(policy: int) -> None:
    design = Design(4, policy)
    assert prove.refute(design, tuple(design.family.properties), 6).passed


@pytest.mark.parametrize(
    "stuck",
    [
        designs.broken_design("WaitIsBounded"),
        designs.broken_design("ClassHasItsShare", designs.WEIGHTED_FAMILY),
        designs.broken_design("WayIsNotOvertaken", designs.WEIGHTED_FAMILY),
    ],
    ids=["round-robin", "credits", "ways"],
)
def test_induction_fails_without_rotation(stuck: Design) -> None:
    # Not only a search from reset finds a fault: the proof does not go through either.
    (order,) = prove.parts(stuck)
    assert not prove.induct(stuck, order).passed


def test_a_share_of_one_grant_less_is_refuted() -> None:
    assert prove.tighten_share().failed == ("ClassHasItsShare",)


@pytest.mark.parametrize("old", ["if (waiting_d[w] && !waiting_q[w])", "age >= age_limit_i;"])
def test_induction_fails_with_ages_broken(old: str) -> None:
    new = {"if": "if (waiting_d[w])", "ag": "age > age_limit_i;"}[old[:2]]
    broken = Design(2, 1).broken("channel_arbiter.sv", old, new)
    parts = [part for part in prove.parts(broken) if part.name in ("stamps", "ages")]
    assert len(parts) == 2
    assert not all(prove.induct(broken, part).passed for part in parts)


@pytest.mark.parametrize(
    "design", shapes([*(Design(ways, 0) for ways in WAYS[1:]), Design(4, 1), Design(8, 1)]), ids=str
)
def test_a_bound_of_one_grant_less_is_refuted(design: Design) -> None:
    found = prove.tighten(design)
    assert found.failed == ("WaitIsBounded",)


#: Half a minute for the largest shape with ages: left to ./cavern test rtl --full.
WITH_A_COVER = [design for design in SHAPES if design.family is designs.CHANNEL]
SHOWN = WITH_A_COVER if os.environ.get("CAVERN_TEST_FULL") else WITH_A_COVER[:-1]


@pytest.mark.parametrize("design", shapes(SHOWN), ids=str)
def test_the_longest_wait_is_reached_in_a_trace(design: Design, tmp_path: Path) -> None:
    waves = tmp_path / "waves" / "longest.vcd"
    found = prove.cover(design, waves)
    assert found.passed
    assert found.step >= design.ways
    text = waves.read_text()
    assert "$enddefinitions" in text and "req_i" in text and "time_i" in text


def test_what_cannot_happen_is_not_covered(tmp_path: Path) -> None:
    text = (designs.RTL / "channel_arbiter_checker.sv").read_text()
    changed = text.replace("cover (|longest)", "cover (|(longest & overtaken))")
    assert changed != text
    never = Design(2, 0).with_source("channel_arbiter_checker.sv", changed)
    assert not prove.cover(never, tmp_path / "never.vcd").passed
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("proven", [True, False])
def test_the_command_tells_what_is_proven_and_what_refuted(
    proven: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refuted = Result(passed=False, failed=("WaitIsBounded",), step=3)
    monkeypatch.setattr("sys.argv", ["prove", "--ways", "2", "--policy", "0", "2"])
    monkeypatch.setattr(prove, "prove", lambda *_: ([("order", Result(passed=proven))], 0.0))
    monkeypatch.setattr(prove, "refute", lambda _, names, __: replace(refuted, failed=names))
    monkeypatch.setattr(prove, "cover", lambda *_: Result(passed=True, step=4))
    monkeypatch.setattr(prove, "tighten", lambda _: refuted)
    assert prove.main() == (0 if proven else 1)
    told = [line.partition(" ") for line in capsys.readouterr().out.splitlines()]
    assert {word for word, _, what in told if "proof, " in what} == {"ok" if proven else "FAIL"}
    assert {word for word, _, what in told if "proof, " not in what} == {"ok"}
    assert sum("broken" in what for *_, what in told) == sum(len(f.properties) for f in FAMILIES)


def test_a_part_that_would_prove_nothing_is_an_error() -> None:
    with pytest.raises(
        prove.ToolError, match="selection contains 0 elements instead of the asserted 1"
    ):
        prove.induct(Design(2, 0), Part("typo", proven=("NoSuchProperty",)))


def test_a_register_that_is_not_joined_is_an_error() -> None:
    renamed = (designs.RTL / "round_robin.sv").read_text().replace("last_q", "recent_q")
    with pytest.raises(prove.ToolError, match="last_q"):
        prove.base_case(Design(2, 0).with_source("round_robin.sv", renamed))
