"""Runs too long for memory: their digest says what the requests themselves say."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from cavern.plots import requests_csv
from cavern.plots.digest import Digest, class_of, digest_or_all, middle_of
from cavern.plots.figures import breakdown, hit_ratio
from cavern.plots.figures.latency_cdf import distribution
from cavern.plots.requests_csv import PARTS, READ, WRITE, Requests, read_blocks, read_requests
from cavern.plots.windows import windows_over

from tests.plots.made_runs import HEADER

COUNT = 5000


def write(path: Path, count: int, repeats: int = 1) -> Path:
    engine = np.random.default_rng(3)
    ops = engine.choice(list("RRRWWWWTF"), count)
    # Parts from nanoseconds to seconds; with so few different ones that some latencies are equal.
    parts = np.round(10 ** engine.uniform(0, 8.5, (5, count))).astype(np.int64)
    parts[:, :: count // 100] = 77
    arrival = np.sort(engine.integers(0, 10**12, count))
    latency = parts.sum(axis=0)
    columns = [arrival, arrival + parts[0], arrival + latency, latency, *parts[[0, 2, 3, 4]]]
    with path.open("w") as file:
        file.write(HEADER + "\n")
        for _ in range(repeats):
            for i in range(count):
                row = [i, ops[i], i * 4096, 512 * (1 + i % 9), *(int(c[i]) for c in columns)]
                file.write(",".join(map(str, [*row, 1 + i % 4, i % 2, int(parts[1][i])])) + "\n")
    return path


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Requests, Digest]:
    path = write(tmp_path / "requests.csv", COUNT)
    monkeypatch.setattr(requests_csv, "CHUNK_BYTES", 40_000)
    whole = digest_or_all(partial(read_blocks, path))
    digest = digest_or_all(partial(read_blocks, path), most=100)
    assert isinstance(whole, Requests) and isinstance(digest, Digest)
    assert whole["id"].tolist() == read_requests(path)["id"].tolist()
    return whole, digest


def test_classes_follow_each_other_and_hold_their_middle() -> None:
    edges = np.array([0, 1, 2047, 2048, 2049, 4095, 4096, 10**6, 10**12, 10**18 - 1])
    classes = class_of(edges)
    assert classes.tolist()[:7] == [0, 1, 2047, 2048, 2048, 3071, 3072]
    values = np.unique(np.geomspace(1, 1e17, 200_000).astype(np.int64))
    assert (np.diff(class_of(values)) >= 0).all()
    middles = middle_of(class_of(values))
    assert (class_of(middles) == class_of(values)).all()
    assert (np.abs(middles - values) <= values / 2048 + 1).all()
    assert (middles[values < 2048] == values[values < 2048]).all()


def test_counts_and_sums_are_exact(both: tuple[Requests, Digest]) -> None:
    whole, digest = both
    assert len(digest) == len(whole) == COUNT and digest.kinds == whole.kinds
    windows = windows_over(whole, None)
    assert windows_over(digest, None) == windows
    for one, other in ((whole, digest), *((whole.of(op), digest.of(op)) for op in (READ, WRITE))):
        assert len(one) == len(other)
        assert windows.counts(one).tolist() == windows.counts(other).tolist()
        for column in ("size", "pages", "hits"):
            assert windows.sums(one, column).tolist() == windows.sums(other, column).tolist()
        for part in PARTS:
            assert other.mean_parts()[part] == pytest.approx(one.mean_parts()[part], rel=1e-12)
    assert np.array_equal(
        hit_ratio.ratio(windows, whole), hit_ratio.ratio(windows, digest), equal_nan=True
    )
    assert whole.slowest(50) == digest.slowest(50)


def test_percentiles_are_those_within_a_class(both: tuple[Requests, Digest]) -> None:
    whole, digest = both
    windows = windows_over(whole, None)
    for op in (READ, WRITE):
        shares = [0.01, 0.5, 0.99, 0.999]
        exact = windows.percentiles(whole.of(op), shares)
        near = windows.percentiles(digest.of(op), shares)
        assert np.allclose(exact, near, rtol=1 / 2048, atol=1)
        assert not np.allclose(exact, near, rtol=1e-6)  # they are classes
        exact_band, band = (breakdown.parts_at_p99(one.of(op)) for one in both)
        assert sum(band.values()) == pytest.approx(sum(exact_band.values()), rel=0.01)
        values, curve = distribution(whole.of(op))
        near_values, near_curve = distribution(digest.of(op))
        there = np.interp(values, near_values, near_curve)
        assert np.abs(there - curve).max() < 0.02
        assert near_curve[-1] == 1.0


@pytest.mark.slow
def test_memory_does_not_grow_with_the_requests(tmp_path: Path) -> None:
    def peak(repeats: int) -> int:
        path = write(tmp_path / f"{repeats}.csv", 4000, repeats)
        code = (
            "import sys; from pathlib import Path; from functools import partial\n"
            "from cavern.plots import digest, requests_csv, windows\n"
            "requests_csv.CHUNK_BYTES = 1 << 19\n"
            f"read = partial(requests_csv.read_blocks, Path({str(path)!r}))\n"
            "found = digest.digest_or_all(read, most=int(sys.argv[1]))\n"
            "w = windows.windows_over(found, None); w.sums(found, 'size')\n"
            "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
        )
        return int(
            subprocess.run(
                [sys.executable, "-c", code, most], capture_output=True, text=True, check=True
            ).stdout
        )

    most = "1000"
    short, long = peak(4), peak(40)
    assert long < short + 8_000  # KiB; 144,000 requests more
    # Kept as they are, they take 15 columns of 8 bytes each, and as much again to join them.
    most = "1000000"
    assert peak(40) > long + 16_000
