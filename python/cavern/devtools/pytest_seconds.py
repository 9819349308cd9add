"""Hooks of pytest that measure tests, and fixtures that several tests share, in processor time: the
process's own and that of the processes it waited for. JUnit files have it as properties.

tests/conftest.py imports them.
"""

from __future__ import annotations

import resource
from collections.abc import Generator

import pytest

from cavern.devtools.steps import FIXTURE, SECONDS


def processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def add(item: pytest.Item, name: str, start: float) -> None:
    item.user_properties.append((name, f"{processor_seconds() - start:.3f}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    start = processor_seconds()
    try:
        return (yield)
    finally:
        add(item, SECONDS, start)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    start = processor_seconds()
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            name = f"{FIXTURE}{fixturedef.baseid}::{fixturedef.argname}"
            add(request._pyfuncitem, name, start)
