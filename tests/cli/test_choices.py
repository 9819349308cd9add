"""The words of the configuration, as the benches ask the program for them."""

from __future__ import annotations

import pytest

from explore.bench.policies import policies
from explore.choices import choices
from explore.simulator import SimulatorError


def test_words_are_those_of_the_program_in_its_order() -> None:
    assert choices("channel.arbiter") == ("tlm", "rtl", "lockstep")
    assert {"none", "lru-page", "arc"} < set(choices("buffer.policy"))


def test_every_eviction_policy_is_measured() -> None:
    assert sorted([*policies(), "none"]) == sorted(choices("buffer.policy"))
    assert "lru-page" in policies()  # what the others are compared with


def test_a_key_without_words_and_no_key_are_told_apart() -> None:
    with pytest.raises(LookupError, match="seed takes no words"):
        choices("seed")
    with pytest.raises(SimulatorError, match='unknown key "sead"'):
        choices("sead")
