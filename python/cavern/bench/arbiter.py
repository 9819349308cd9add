"""The forms of the arbiter alone: the rules as software, the twin of the RTL, and the RTL."""

from __future__ import annotations

import json
import statistics
import subprocess

from rich.console import Console
from rich.table import Table

from cavern.choices import choices
from cavern.simulator import BUILD

RUNS = 5


def arbiter_bench(console: Console) -> dict[str, dict[str, float]]:
    """The arbiter forms alone on a busy bus of eight dies."""
    table = Table(title="arbiter alone: 8 slots, busy bus, CPU time", title_justify="left")
    for heading in ("form", "policy", "ns/grant", "ns/clock edge", "ms/1 M cycles"):
        table.add_column(heading, justify="left" if heading in ("form", "policy") else "right")
    results: dict[str, dict[str, float]] = {}
    for policy in choices("channel.policy"):
        for form, grants in (
            ("tlm", 300_000),
            ("twin-gated", 300_000),
            ("rtl-gated", 300_000),
            ("lockstep-gated", 300_000),
            ("rtl-ungated", 3_000),
        ):
            command = [str(BUILD / "bin" / "cavern-arbiter-bench"), form, policy, str(grants)]
            runs = [json.loads(subprocess.check_output(command)) for _ in range(RUNS)]
            ns = statistics.median(run["ns_per_grant"] for run in runs)
            edges = runs[0]["edges"]  # those of every run
            per_edge = ns * grants / edges if edges else 0.0
            million = ns * grants / runs[0]["cycles"]  # ns a cycle are ms a million
            results[f"{form} {policy}"] = {
                "ns/grant": ns,
                "ns/edge": per_edge,
                "ms/1 M cycles": million,
            }
            table.add_row(
                form, policy, f"{ns:,.1f}", f"{per_edge:,.1f}" if edges else "-", f"{million:,.2f}"
            )
    console.print(table)
    return results
