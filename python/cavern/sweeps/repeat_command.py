"""`./cavern run CONFIG ... --repeat N`. Without --repeat the simulator itself has the command."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from cavern.errors import SimulatorError

MOST_SEEDS = 10_000


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.option("--repeat", "count", type=click.IntRange(2, MOST_SEEDS), required=True)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1))
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/repeat"))
def run(words: tuple[str, ...], count: int, seed: int | None, out: Path) -> int:
    """Runs one simulation; with --repeat one for each of N seeds."""
    # Imported late: what compares takes a moment to load, which mistakes need not wait for.
    from cavern.plots.repeats import REPEAT
    from cavern.sweeps.repeat import Words, repeat
    from cavern.verdicts.intervals import LEVEL

    shown = sys.stderr.isatty()

    def on_done(done: int) -> None:
        if shown:
            print(f"\r{done} of {count} seeds played\033[K", end="", file=sys.stderr)

    told = Words.of(words)
    try:
        group = repeat(told, out, count, seed, on_done)
    except SimulatorError as error:
        click.echo(str(error), err=True)
        return error.status
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr)
    if ("--quiet", "") not in told.pairs:
        from cavern.plots.compared import rows
        from cavern.plots.side_by_side import print_comparison

        warnings = [text for one in group.runs for text in one.summary.get("run.warnings") or []]
        for text in dict.fromkeys(warnings):
            click.echo(f"warning: {text}", err=True)
        print_comparison([group.run], rows([group]))
        seeds = [one.summary.get("config.seed") for one in group.runs]
        click.echo(
            f"\nmean ± half width of the {LEVEL:.0%} interval (Student's t), seeds "
            f"{seeds[0]} to {seeds[-1]}"
        )
        click.echo(str(out / REPEAT))
    return 0
