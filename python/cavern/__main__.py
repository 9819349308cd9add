"""The front door's commands that are written in Python; an installed package has all of them."""

from __future__ import annotations

import gc
import os
import shlex
import signal
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder

import click

from cavern.api.version import DISTRIBUTION
from cavern.errors import CavernError, InputError, SimulatorError, one_line
from cavern.examples import epilog
from cavern.names import closest
from cavern.simulator import ENVIRONMENT, IN_TREE, ROOT, SIMULATOR, SIMULATOR_COMMANDS, prefix

#: Where each command is: module and name. Loaded when it is called, for some take seconds to load.
ANYWHERE = {
    "archive": ("cavern.archive.command", "archive"),
    "cache": ("cavern.sweeps.states", "cache"),
    "compare": ("cavern.plots.command", "compare"),
    "demo": ("cavern.demo", "demo"),
    "explain": ("cavern.plots.command", "explain"),
    "flame": ("cavern.plots.command", "flame"),
    "plot": ("cavern.plots.command", "plot"),
    "report": ("cavern.plots.command", "report"),
    "run": ("cavern.sweeps.repeat_command", "run"),
    "search": ("cavern.search.command", "search"),
    "sweep": ("cavern.sweeps.command", "sweep"),
    "trace": ("cavern.trace", "trace"),
}
#: These need the source tree: its tests, its front door.
IN_THE_TREE = {
    "bench": ("cavern.bench.command", "bench"),
    "man": ("cavern.manual", "man"),
    "mutate": ("cavern.devtools.mutating", "mutate"),
    "reproduce": ("papers.command", "reproduce"),
    "soak": ("cavern.soak.command", "soak"),
    "test": ("cavern.devtools.testing", "test"),
    "validate": ("cavern.validate.command", "validate"),
    "wheel": ("cavern.devtools.wheel", "wheel"),
}
COMMANDS = {**ANYWHERE, **(IN_THE_TREE if IN_TREE else {})}
if IN_TREE:
    sys.path.append(str(ROOT))  # papers/ lies beside the package
#: What an installed package need not have, and the extra that brings it.
EXTRAS = {
    "cloudpickle": "cluster",
    "dask_jobqueue": "cluster",
    "distributed": "cluster",
    "optuna": "search",
}
PROGRAM = "./cavern" if IN_TREE else "cavern"


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS if IN_TREE else {*COMMANDS, *SIMULATOR_COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            module, name = COMMANDS[cmd_name]
            command: click.Command = getattr(import_module(module), name)
            command.epilog = epilog(cmd_name)
            for below in getattr(command, "commands", {}).values():
                below.epilog = command.epilog
            signal.signal(signal.SIGINT, signal.default_int_handler)
            return command
        if cmd_name in SIMULATOR_COMMANDS:
            return click.Command(cmd_name, short_help=SIMULATOR_COMMANDS[cmd_name])
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and args[0] not in SIMULATOR_COMMANDS:
            near = closest(args[0], sorted({*COMMANDS, *SIMULATOR_COMMANDS}))
            right = f'; did you mean "{near}"?' if near else ""
            raise click.UsageError(f'unknown command "{args[0]}"{right}', ctx)
        return super().resolve_command(ctx, args)


def _say_prefix(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(prefix())
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--prefix",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say_prefix,
    help="print where program, library, headers and drives are installed, as for CMAKE_PREFIX_PATH",
)
def cli() -> None:
    """Cavern."""


def _of_the_simulator(arguments: list[str]) -> bool:
    """Whether a command line is one of the simulator, which then takes it as it is."""
    if arguments[:1] in (["--version"], ["-V"]):
        return True
    if arguments[:1] == ["run"] and any(
        word.split("=")[0] in ("--repeat", "--alone") for word in arguments
    ):
        return not {"-h", "--help"}.isdisjoint(arguments)
    return arguments[:1] != [] and (
        arguments[0] in SIMULATOR_COMMANDS and arguments[:2] != ["trace", "info"]
    )


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done, 2 the user's input is wrong (one line on stderr)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    if _of_the_simulator(arguments):
        os.execve(SIMULATOR, [PROGRAM, *arguments], ENVIRONMENT)
    try:
        given = shlex.join([PROGRAM, *arguments])  # for pages that say how they are made
        status = cli.main(arguments, prog_name=PROGRAM, standalone_mode=False, obj=given)
        return status if isinstance(status, int) else 0
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return 2
    except (CavernError, ModuleNotFoundError, OSError, MemoryError, click.ClickException) as error:
        if isinstance(error, OSError) and _why_unwritten():
            raise  # program() tells of standard output
        line, status = told(error)
        print(line, file=sys.stderr)
        return status
    except (click.Abort, KeyboardInterrupt):
        return 130


def told(error: Exception) -> tuple[str, int]:
    """The one line and the exit status of what ended a command."""
    if isinstance(error, SimulatorError):
        return str(error), error.status
    if isinstance(error, OSError):
        error = InputError.of(error)
    if isinstance(error, CavernError):
        return f"error: {error}", 2 if isinstance(error, InputError) else 1
    if isinstance(error, MemoryError):
        return "error: out of memory; expected less to read, or a larger machine", 1
    if isinstance(error, ModuleNotFoundError):
        if error.name not in EXTRAS:
            raise error
        brings = f"pip install {error.name.replace('_', '-')} brings it"
        extra = f"{DISTRIBUTION}[{EXTRAS[error.name]}]"
        text = f"this needs {error.name}; {brings}, as does {extra}"
    elif isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else PROGRAM
        text = one_line(error.format_message(), 2000).rstrip(".")
        text = text.replace(". Did you mean", "; did you mean")
        text += f"{'' if text.endswith('?') else ';'} see {where} --help"
    else:
        assert isinstance(error, click.ClickException)
        text = one_line(error.format_message(), 2000)
    return f"error: <command line>:1: {text}", 2


class NoPandas(MetaPathFinder):
    """pyarrow loads pandas where it finds one, to know its arrays: half a second for every table
    of a sweep. No command has such arrays."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("no command needs pandas", name=fullname)


def _why_unwritten(more: bytes = b"") -> OSError | None:
    """Why standard output does not take what was printed, nor more; None where it does."""
    try:
        sys.stdout.flush()
        os.write(1, more)
    except OSError as error:
        return error
    return None


def program() -> int:
    """The command as a process of its own, which sees that what it printed is written."""
    sys.meta_path.insert(0, NoPandas())
    # Half of the time of reading a timeline went into looking for cycles among its events.
    gc.set_threshold(200_000, 50, 50)
    if sys.stdout is None:  # what is opened next would take its place
        print("error: <stdout>:1: is closed; a place with room", file=sys.stderr)
        return 2
    # A path may have bytes that are no text.
    sys.stdout.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    try:
        status = main()
        why = _why_unwritten()
    except OSError:
        why = _why_unwritten(b"\n")
        if why is None:
            raise
        status = 0
    if why is None:
        return status
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the interpreter tries once more
    if isinstance(why, BrokenPipeError):  # who reads has enough
        return status or 1
    print(
        f"error: <stdout>:1: cannot be written: {why.strerror}; a place with room", file=sys.stderr
    )
    return status or 2


if __name__ == "__main__":
    sys.exit(program())
