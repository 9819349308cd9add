"""Results as notebooks show them: tables, pictures, pages."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from html import escape
from pathlib import Path

from cavern.errors import InputError


def measures(folders: Sequence[Path]) -> str:
    """The table of `./cavern compare` as HTML, without what was not measured."""
    from cavern.plots.compared import means
    from cavern.plots.finding import load_groups

    groups = load_groups(folders)
    heading = "".join(f"<th>{escape(group.run.name)}</th>" for group in groups)
    body = ""
    for row in means(groups):
        if row.group:
            body += f"<tr><th colspan={len(groups) + 1}>{escape(row.group)}</th></tr>"
        cells = [" ".join((cell.text, cell.change, cell.verdict)).strip() for cell in row.cells]
        if set(cells) != {"–"}:
            told = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            body += f"<tr><td>{escape(row.label)}</td>{told}</tr>"
    return f"<table><thead><tr><th></th>{heading}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(frozen=True)
class Picture:
    """One figure. A notebook shows it."""

    name: str
    svg: str
    png: bytes

    def _repr_svg_(self) -> str:
        return self.svg


class Pictures(dict[str, Picture]):
    """Figures by their names. A notebook shows all."""

    def _repr_html_(self) -> str:
        return "".join(f"<div>{picture.svg}</div>" for picture in self.values())

    def save(self, folder: str | Path) -> None:
        """Writes NAME.svg and NAME.png of each."""
        from cavern.plots.files import make_directory, write_file

        make_directory(Path(folder))
        for name, picture in self.items():
            write_file(Path(folder) / f"{name}.svg", picture.svg.encode())
            write_file(Path(folder) / f"{name}.png", picture.png)


def pictures(folder: Path, names: Sequence[str]) -> Pictures:
    # Imported late: it loads matplotlib.
    from cavern.plots.figures import RUN_FIGURES
    from cavern.plots.figures.options import Options
    from cavern.plots.finding import load_runs
    from cavern.plots.render import Output, run_figures

    known = {spec.name: spec for spec in RUN_FIGURES}
    for name in names:
        if name not in known:
            right = f"expected some of {', '.join(known)}"
            raise InputError(folder, 1, f'no figure "{name}"', right)
    (run,) = load_runs([folder])
    asked = [known[name] for name in names or known]
    found = Pictures()
    for drawn in run_figures(run, Options(None, None, None), Output(), specs=asked):
        name = drawn.spec.name
        if drawn.missing and names:
            raise InputError(folder, 1, f"has no {name}", drawn.missing)
        if not drawn.missing:
            found[name] = Picture(name, drawn.svg, drawn.files["png"])
    return found


def reported(folder: Path, out: str | Path | None, slowest: int) -> Path:
    from cavern.plots.command import report

    page = Path(out) if out is not None else folder / "report.html"
    words = [str(folder), "--out", str(page), "--slowest", str(slowest)]
    _printed(report, words)
    return page


@dataclass(frozen=True)
class Explanation:
    """Where the latency of a request went: the words of `./cavern explain`, and its picture."""

    text: str
    svg: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>{self.svg}"


def explained(folder: Path, request: int | str) -> Explanation:
    from cavern.plots.command import explain

    picture = folder / f"explain-{request}.svg"
    text = _printed(explain, [str(request), str(folder), "--svg", str(picture)])
    # The last line names the picture.
    told = text.rstrip().removesuffix(str(picture)).rstrip()
    return Explanation(told, picture.read_text(encoding="utf-8"))


def _printed(command: object, words: list[str]) -> str:
    """What a command of the front door prints. Mistakes are those that it makes of them."""
    import click

    assert isinstance(command, click.Command)
    said = io.StringIO()
    with redirect_stdout(said):
        try:
            command.main(words, standalone_mode=False)
        except click.ClickException as error:
            raise InputError("<arguments>", 1, error.format_message(), "see its help") from None
    return said.getvalue()
