"""papers/: experiments on the public names of `cavern`, beside the package that knows nothing of
them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import cavern
import cavern.figures
import pytest

from tests.cli.programs import ROOT
from tests.cli.reproduced import reproduce

PAPERS = ROOT / "papers"
PUBLIC = {"cavern": {*cavern.__all__, "figures"}, "cavern.figures": {*cavern.figures.__all__}}
HIDDEN = re.compile(r"_(?!_)\w*")


def private(source: str) -> Iterator[str]:
    """What a module takes of `cavern` that is not offered, by whatever way."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("cavern"):
                yield from (
                    f"{module}.{one.name}" for one in names if not offered(module, one.name)
                )
            case ast.Import(names=names):
                named = [one.name for one in names if one.name.split(".")[0] == "cavern"]
                yield from (name for name in named if name not in PUBLIC)
            case ast.Attribute(value=ast.Name(id="cavern" | "figures" as module), attr=name):
                module = {"figures": "cavern.figures"}.get(module, module)
                yield from [f"{module}.{name}"] if not offered(module, name) else []
            case ast.Attribute(value=ast.Name(id="self")):
                pass
            case ast.Attribute(attr=name) if HIDDEN.fullmatch(name):
                yield name
            case ast.Constant(value=str(text)) if re.fullmatch(r"cavern(\.\w+)+", text):
                yield text


def offered(module: str, name: str) -> bool:
    return name in PUBLIC.get(module, ())


def test_papers_take_public_names_alone() -> None:
    modules = {path: path.read_text(encoding="utf-8") for path in sorted(PAPERS.rglob("*.py"))}
    assert sum("cavern" in text for text in modules.values()) > 15
    found = {str(path): list(private(text)) for path, text in modules.items()}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "taken"),
    [
        ("from cavern.sweeps import execute", "cavern.sweeps.execute"),
        ("from cavern import api", "cavern.api"),
        ("from cavern.figures import settle", "cavern.figures.settle"),
        ("import cavern.simulator", "cavern.simulator"),
        ("import cavern.plots.style as style", "cavern.plots.style"),
        ("import cavern\ncavern.simulator.ROOT", "cavern.simulator"),
        ("from cavern import figures\nfigures.settle(1)", "cavern.figures.settle"),
        ("def run(swept):\n    return swept._kept_by", "_kept_by"),
        ("import_module('cavern.sweeps.plan')", "cavern.sweeps.plan"),
    ],
)
def test_a_private_name_is_found(source: str, taken: str) -> None:
    assert list(private(source)) == [taken]


def test_public_names_are_let_through() -> None:
    public = "import cavern\nfrom cavern import figures\nfrom cavern.figures import save\n"
    assert list(private(public + "figures.save(cavern.sweep([]), self._own, x.__dict__)")) == []


def test_the_package_knows_of_papers_by_one_name() -> None:
    named = re.compile(r"\"papers\.\w+|^\s*(?:from|import) papers\b", re.MULTILINE)
    package = [*(ROOT / "python").rglob("*.py"), *(ROOT / "plots").rglob("*.py")]
    found = {path: named.findall(path.read_text(encoding="utf-8")) for path in package}
    assert [path.name for path, names in found.items() if names] == ["__main__.py"]


@pytest.mark.slow
def test_an_experiment_is_run_from_wherever_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    done = reproduce("nothing", where=tmp_path)  # the others are run in ROOT
    assert done.stderr.startswith('error: <command line>:1: unknown experiment "nothing"; ')
