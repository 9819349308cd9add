"""`./cavern archive`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from cavern.errors import InputError, SimulatorError

MOST_SHOWN = 5


@click.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="DIR|FILE")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="The archive, .tar.zst or .zip (default: NAME OF DIR.tar.zst).",
)
@click.option("--run", "again", is_flag=True, help="Run the archive FILE again, and compare.")
def archive(source: Path, out: Path | None, again: bool) -> int:
    """Put the results in DIR into one file, with all that they came from.

    DIR is that of a run, of `run --repeat`, of a sweep, or has such folders. The file has results
    and figures, configurations, what was played, the version of the program, and a README with the
    commands. With --run the runs of FILE are played again: the exit status is 1 where a result is
    not the same.
    """
    if again:
        if out is not None:
            raise click.UsageError("--out is of no use with --run")
        return _again(source)
    from cavern.archive.pack import pack

    if not source.is_dir():
        right = "expected the folder of a run or a sweep; --run takes an archive"
        raise InputError(source, 1, "is no folder", right)
    out = out or Path(f"{source.resolve().name}.tar.zst")
    count, lacking = pack(source, out)
    for name in lacking:
        click.echo(f"{name}: not in the archive, but its SHA-256 is", err=True)
    click.echo(f"{out}: {count} run{'s' if count > 1 else ''}, {out.stat().st_size:,} bytes")
    return 0


def _again(source: Path) -> int:
    from cavern.archive.again import play
    from cavern.archive.files import unpack

    status = 0
    with tempfile.TemporaryDirectory(prefix="cavern-archive-") as place:
        unpack(source, Path(place) / "archive")
        try:
            for one in play(Path(place) / "archive", Path(place) / "again"):
                shown = ", ".join(one.differing[:MOST_SHOWN])
                more = len(one.differing) - MOST_SHOWN
                told = "the same" if one.same else f"differs in {shown}"
                told += f" and {more} more" if more > 0 else ""
                other = "" if one.same_program else f" (by another program: {one.program[0]}, "
                other += "" if one.same_program else f"commit {one.program[1]})"
                click.echo(f"{one.folder}: {told}{other}")
                status = status if one.same else 1
        except SimulatorError as error:
            click.echo(str(error), err=True)
            return error.status
    return status
