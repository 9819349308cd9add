"""The front door's commands that are written in Python: demo, validate, bench, test."""

from __future__ import annotations

import sys

import click

from explore.bench import bench
from explore.demo import demo
from explore.simulator import SimulatorError
from explore.testing import test
from explore.validate import validate


@click.group()
def main() -> None:
    """Cavern."""


for command in (demo, validate, bench, test):
    main.add_command(command)

if __name__ == "__main__":
    try:
        main(prog_name="./cavern")
    except SimulatorError as error:
        print(error, file=sys.stderr)
        sys.exit(error.status)
