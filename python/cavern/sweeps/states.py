"""Drives as they are once preconditioned, kept for all runs that begin with the same."""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import MutableMapping
from pathlib import Path

import click

from cavern.simulator import ENVIRONMENT

#: The folder; empty: nothing is kept. Runs by themselves keep nothing where it is not given.
VARIABLE = "CAVERN_STATE_CACHE"


def folder() -> Path | None:
    """Where sweeps, searches and repeats keep states; None: nowhere."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        return Path(given) if given else None
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "cavern" / "states"


def environment() -> MutableMapping[str, str]:
    """That of a run of which there are several."""
    return ChainMap({VARIABLE: str(folder() or "")}, ENVIRONMENT)


def _kept(where: Path) -> list[Path]:
    return sorted(where.glob("*.state"))


@click.command()
@click.option("--clear", is_flag=True, help="removes them")
def cache(clear: bool) -> None:
    """Says what is kept of drives that are preconditioned once for many runs."""
    where = folder()
    if where is None:
        click.echo(f"{VARIABLE} is empty: nothing is kept")
        return
    kept = _kept(where)
    size = sum(path.stat().st_size for path in kept)
    if clear:
        for path in kept:
            path.unlink(missing_ok=True)
            path.with_name(path.name + ".lock").unlink(missing_ok=True)
    drives = f"{len(kept)} drive{'' if len(kept) == 1 else 's'}"
    click.echo(f"{where}: {drives}, {size / 2**20:.1f} MiB{', removed' if clear else ''}")
