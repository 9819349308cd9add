"""The front door's commands that are written in Python."""

from __future__ import annotations

import signal
import sys
from importlib import import_module

import click

from explore.simulator import SimulatorError
from plots.errors import InputError

#: Where each command is: module and name. Loaded when it is called, for some take seconds to load.
COMMANDS = {
    "bench": ("explore.bench.command", "bench"),
    "completion": ("explore.shells", "completion"),
    "demo": ("explore.demo", "demo"),
    "man": ("explore.manual", "man"),
    "reproduce": ("explore.reproduce.command", "reproduce"),
    "sweep": ("explore.sweep.command", "sweep"),
    "test": ("explore.devtools.testing", "test"),
    "trace": ("explore.trace", "trace"),
    "validate": ("explore.validate.command", "validate"),
}


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(module), name)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Cavern."""


def main() -> int:
    """Exit status: 0 done, 2 the user's input is wrong (one line on stderr)."""
    try:
        status = cli.main(prog_name="./cavern", standalone_mode=False)
        return status if isinstance(status, int) else 0
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
        text = error.format_message().replace("\n", " ").rstrip(".")
        where = error.ctx.command_path if error.ctx else "./cavern"
        print(f"error: <command line>:1: {text}; see {where} --help", file=sys.stderr)
        return 2
    except click.ClickException as error:
        print(f"error: <command line>:1: {error.format_message()}", file=sys.stderr)
        return 2
    except (click.Abort, KeyboardInterrupt):
        return 130


if __name__ == "__main__":
    sys.exit(main())
