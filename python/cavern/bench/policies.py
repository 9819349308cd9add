"""What an access to the write buffer costs under each eviction policy."""

from __future__ import annotations

import subprocess

from rich.console import Console
from rich.table import Table

from cavern.choices import choices
from cavern.simulator import BUILD

BUFFERS = {
    "128 KiB": 64,
    "2 MiB": 1 << 10,
    "16 MiB": 1 << 13,
    "128 MiB": 1 << 16,
    "1 GiB": 1 << 19,
    "4 GiB": 1 << 21,
}
STREAMS = {
    "hits": "hits: the same 512 pages or fewer again and again, each in a block of its own",
    "misses": "misses: new pages in ascending order, each of which makes others leave",
    "mixed": "mixed: runs of four pages anywhere in twice the buffer",
}
POLICY_ACCESSES = 300_000


def policies() -> list[str]:
    """Every eviction policy; none is no buffer at all."""
    return [policy for policy in choices("buffer.policy") if policy != "none"]


def policy_run(policy: str) -> dict[str, dict[str, float]]:
    """ns per access: stream -> buffer size -> figure. `map` is the residency map alone."""
    output = subprocess.run(
        [
            str(BUILD / "bin" / "cavern-policy-bench"),
            policy,
            str(POLICY_ACCESSES),
            *map(str, BUFFERS.values()),
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = [[float(word) for word in line.split()[1:]] for line in output.splitlines()]
    return {
        stream: {size: row[i] for size, row in zip(BUFFERS, rows, strict=True)}
        for i, stream in enumerate(STREAMS)
    }


def policy_bench(console: Console) -> dict[str, dict[str, float]]:
    """What an access costs under each eviction policy, as the buffer grows."""
    figures = {policy: policy_run(policy) for policy in ("map", *policies())}
    for stream, what in STREAMS.items():
        table = Table(
            title=f"{what}; ns of CPU time per access by buffer (pages of 2 KiB)",
            title_justify="left",
        )
        table.add_column("policy")
        for size in BUFFERS:
            table.add_column(size, justify="right")
        table.add_column("largest / smallest", justify="right")
        table.add_column("4 GiB, / lru-page", justify="right")
        for policy, streams in figures.items():
            row = list(streams[stream].values())
            cells = [f"{ns:,.1f}" for ns in row]
            against = row[-1] / figures["lru-page"][stream]["4 GiB"]
            table.add_row(policy, *cells, f"{max(row) / min(row):.2f}", f"{against:.2f}")
        console.print(table)
    console.print(
        "map: the residency map alone, first in, first out. Beyond the processor's caches (some\n"
        "128 MiB of buffer) misses and mixed wait for memory: a few cache lines for each list,\n"
        "map and frame. Hits, whose pages stay in the caches, show what the policies do."
    )
    return {
        f"{stream} {policy}": sizes
        for policy, streams in figures.items()
        for stream, sizes in streams.items()
    }
