"""The front door's commands that are written in Python: demo, validate, bench, sweep, reproduce,
test."""

from __future__ import annotations

import sys

import click

from explore.bench import bench
from explore.demo import demo
from explore.reproduce.command import reproduce
from explore.simulator import SimulatorError
from explore.sweep.command import sweep
from explore.testing import test
from explore.validate import validate
from plots.errors import InputError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Cavern."""


for command in (demo, validate, bench, sweep, reproduce, test):
    cli.add_command(command)


def main() -> int:
    """Exit status: 0 done, 2 the user's input is wrong (one line on stderr)."""
    try:
        cli.main(prog_name="./cavern", standalone_mode=False)
    except SimulatorError as error:
        print(error, file=sys.stderr)
        return error.status
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return 2
    except click.UsageError as error:
        text = error.format_message().rstrip(".")
        where = error.ctx.command_path if error.ctx else "./cavern"
        print(f"error: <command line>:1: {text}; see {where} --help", file=sys.stderr)
        return 2
    except click.ClickException as error:
        print(f"error: <command line>:1: {error.format_message()}", file=sys.stderr)
        return 2
    except (click.Abort, KeyboardInterrupt):
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
