"""The words of the configuration, as the benches ask the program for them."""

from __future__ import annotations

import re

import pytest
from cavern.bench.policies import policies
from cavern.choices import choices, rows

from tests.cli.programs import Program


def test_words_are_those_of_the_program_in_its_order() -> None:
    assert choices("channel.arbiter") == ("tlm", "rtl", "lockstep")
    assert {"none", "lru-page", "arc"} < set(choices("buffer.policy"))


def test_every_eviction_policy_is_measured() -> None:
    assert sorted([*policies(), "none"]) == sorted(choices("buffer.policy"))
    assert "lru-page" in policies()  # what the others are compared with


def test_formats_are_those_that_the_program_writes(simulator: Program) -> None:
    written = re.search(
        r"format written: ([a-z ]+)$", simulator("trace", "convert", "-h").stdout, re.M
    )
    assert written is not None and rows("trace_output_formats") == tuple(written[1].split())
    assert rows("trace_output_formats")[0] == "csv"


@pytest.mark.parametrize("key", ["seed", "sead"])
def test_what_takes_no_words_is_told(key: str) -> None:
    with pytest.raises(LookupError, match=f"no key {key} that takes words"):
        choices(key)
