"""`./cavern run CONFIG ... --repeat N` and `--alone`. Without these the simulator itself has the
command."""

from __future__ import annotations

from pathlib import Path

import click

MOST_SEEDS = 10_000


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.option("--repeat", "count", type=click.IntRange(2, MOST_SEEDS))
@click.option("--alone", is_flag=True)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1))
@click.option("--out", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True)
@click.option("--quiet", is_flag=True)
def run(
    words: tuple[str, ...],
    count: int | None,
    alone: bool,
    seed: int | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Runs one simulation; with --repeat one for each of N seeds, with --alone one more for each
    flow."""
    if as_json and quiet:
        raise click.UsageError("--json excludes --quiet")
    if alone:
        if count is not None:
            raise click.UsageError("--alone excludes --repeat")
        seeded = ("--seed", str(seed)) if seed is not None else ()
        return _alone((*words, *seeded), out or Path("out/alone"), as_json, quiet)
    if count is None:
        raise click.UsageError("--repeat needs a number")
    out = out or Path("out/repeat")
    # Imported late: what compares takes a moment to load, which mistakes need not wait for.
    from cavern.plots.finding import REPEAT
    from cavern.sweeps.command import interruptible
    from cavern.sweeps.counted import counted
    from cavern.sweeps.repeat import Words, repeat

    with (
        interruptible("what was there is as it was"),
        counted(count, "seeds played") as on_done,
    ):
        group = repeat(Words.of(words), out, count, seed, on_done)
    if as_json:
        click.echo((out / REPEAT).read_text(encoding="utf-8"), nl=False)
    elif not quiet:
        from cavern.plots.side_by_side import print_comparison

        print_comparison([group])
        click.echo(str(out / REPEAT))
    return 0


def _alone(words: tuple[str, ...], out: Path, as_json: bool, quiet: bool) -> int:
    from cavern.sweeps.alone import ALONE, play
    from cavern.sweeps.command import interruptible
    from cavern.sweeps.repeat import Words

    with interruptible("what was there is gone"):
        shared = play(Words.of(words), out)
    if as_json:
        click.echo((out / ALONE).read_text(encoding="utf-8"), nl=False)
    elif not quiet:
        click.echo(shared.table())
        click.echo(str(out / ALONE))
    return 0
