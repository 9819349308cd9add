"""import cavern: the document about it and the notebook run as they are written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.programs import ROOT

DOCUMENT = ROOT / "docs" / "python.md"
NOTEBOOK = ROOT / "examples" / "python" / "compare_drives.ipynb"


def blocks(text: str) -> str:
    """The Python of a document, as one program."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def played(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore::UserWarning", "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_python_of_the_document_runs(tmp_path: Path) -> None:
    program = blocks(DOCUMENT.read_text(encoding="utf-8"))
    assert program.count("cavern.run(") >= 4 and "cavern.sweep(" in program
    done = played(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "better" in done.stdout
    # What does not hold is seen.
    wrong = program.replace("== 3000", "== 2999", 1)
    assert wrong != program and "AssertionError" in played(wrong, tmp_path).stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_notebook_is_executed(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    resources = {"metadata": {"path": str(tmp_path)}}
    # A cell that fails is seen, and none before it does.
    notebook.cells.append(nbformat.v4.new_code_cell("import cavern; cavern.run('no such drive')"))
    with pytest.raises(CellExecutionError, match="SimulatorError.*no such drive"):
        NotebookClient(notebook, timeout=120, resources=resources).execute()
    shown = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    assert any("image/png" in out.get("data", {}) for out in shown)
    assert any("text/html" in out.get("data", {}) for out in shown)
