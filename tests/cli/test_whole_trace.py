"""Hits and evictions on a whole real trace against a count of its own, written from the rules of
page LRU and block LRU (CAVE, sections 4.2 and 5.1) without a look at the model."""

from __future__ import annotations

import csv
import functools
import lzma
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.cli.programs import CONFIGS, DEMO_TRACE, Json, Program, sets

pytestmark = pytest.mark.slow

PAGE = 2048
PAGES_PER_BLOCK = 64
SECTOR = 512


@dataclass
class Count:
    """As the summary's section `buffer` names them."""

    read_hits: int = 0
    read_misses: int = 0
    write_hits: int = 0
    write_misses: int = 0
    victims: int = 0
    evicted_pages: int = 0


class PageLru:
    """Pages, least recently written first."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        self.pages: OrderedDict[int, None] = OrderedDict()

    def __contains__(self, page: int) -> bool:
        return page in self.pages

    def full(self) -> bool:
        return len(self.pages) == self.frames

    def write(self, page: int) -> None:
        self.pages[page] = None
        self.pages.move_to_end(page)

    def evict(self) -> int:
        self.pages.popitem(last=False)
        return 1


class BlockLru:
    """Blocks with their resident pages, least recently written block first."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        self.used = 0
        self.blocks: OrderedDict[int, set[int]] = OrderedDict()

    def __contains__(self, page: int) -> bool:
        return page in self.blocks.get(page // PAGES_PER_BLOCK, ())

    def full(self) -> bool:
        return self.used == self.frames

    def write(self, page: int) -> None:
        block = page // PAGES_PER_BLOCK
        pages = self.blocks.setdefault(block, set())
        self.used += page not in pages
        pages.add(page)
        self.blocks.move_to_end(block)

    def evict(self) -> int:
        _, pages = self.blocks.popitem(last=False)
        self.used -= len(pages)
        return len(pages)


@functools.cache
def requests() -> list[tuple[str, int, int]]:
    with lzma.open(DEMO_TRACE, "rt", newline="") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        assert next(rows) == ["time_us", "op", "offset", "size"]
        return [(op, int(offset), int(size)) for _, op, offset, size in rows]


def pages(offset: int, size: int, capacity: int) -> Iterator[int]:
    """The pages of a request whose offset is taken modulo the capacity, or, where it would not fit
    there, moved down to the last sector where it does."""
    offset %= capacity
    if offset + size > capacity:
        offset = (capacity - size) // SECTOR * SECTOR
    return iter(range(offset // PAGE, (offset + size - 1) // PAGE + 1))


def count(buffer: PageLru | BlockLru, capacity: int) -> Count:
    total = Count()
    for op, offset, size in requests():
        for page in pages(offset, size, capacity) if size else ():
            hit = page in buffer
            if op == "R":
                total.read_hits += hit
                total.read_misses += not hit
            else:
                assert op == "W"
                total.write_hits += hit
                total.write_misses += not hit
                if not hit and buffer.full():
                    total.victims += 1
                    total.evicted_pages += buffer.evict()
                buffer.write(page)
    return total


def simulated(simulator: Program, policy: str, size: str, fidelity: str) -> Json:
    settings = sets(
        buffer__policy=policy, buffer__size=size, fidelity=fidelity, workload__out_of_range="wrap"
    )
    config = CONFIGS / "conventional.toml"
    return simulator.simulate(config, "out", "--trace", DEMO_TRACE, *settings)


POLICIES: dict[str, Callable[[int], PageLru | BlockLru]] = {
    "lru-page": PageLru,
    "lru-block": BlockLru,
}
SIZES = {"128KiB": 64, "16MiB": 8192}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("policy", POLICIES)
def test_hits_and_evictions(policy: str, size: str, simulator: Program) -> None:
    summary = simulated(simulator, policy, size, "untimed")
    ours = summary["buffer"]
    capacity = summary["ftl"]["logical_pages"] * PAGE
    expected = count(POLICIES[policy](SIZES[size]), capacity)
    assert expected.evicted_pages > 400_000  # the trace is there, and much larger than the buffer
    assert {key: ours[key] for key in vars(expected)} == vars(expected)


def test_the_count_tells_the_policies_and_sizes_apart(simulator: Program) -> None:
    summary = simulated(simulator, "lru-page", "16MiB", "untimed")
    ours = summary["buffer"]
    capacity = summary["ftl"]["logical_pages"] * PAGE
    for wrong in (BlockLru(8192), PageLru(8191)):
        expected = count(wrong, capacity)
        assert ours["write_hits"] != expected.write_hits
        assert ours["evicted_pages"] != expected.evicted_pages


def test_timed_and_untimed_runs_decide_alike(simulator: Program) -> None:
    timed, untimed = (
        simulated(simulator, "lru-block", "16MiB", fidelity)["buffer"]
        for fidelity in ("at", "untimed")
    )
    for key in vars(Count()):
        assert timed[key] == untimed[key]
