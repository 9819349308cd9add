"""power.csv: what is read of it, what is refused, and what the figure shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from cavern.errors import InputError, NotAvailableError
from cavern.plots.figures import power
from cavern.plots.figures.options import Options
from cavern.plots.power_csv import COLUMNS, Power, read_power

from tests.plots.made_runs import RunMaker

HEADER = ",".join(COLUMNS)


def read(path: Path, *rows: str) -> Power:
    file = path / "power.csv"
    file.write_text("\n".join([HEADER, *rows, ""]))
    return read_power(file)


def test_parts_without_values_are_left_out(runs: RunMaker) -> None:
    run = runs.load()
    assert list(run.power.watts) == ["nand", "dram"]
    assert run.power.edges[-1] == 10_000_000
    figure = power.draw(run, Options())
    legend = figure.axes[0].get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["NAND", "SDRAM"]


def test_periods_are_joined_by_their_time(tmp_path: Path) -> None:
    read_of = read(tmp_path, "0,10,4,,,,", "10,10,2,,,,", "20,5,1,,,,", "25,5,3,,,,")
    joined = power.coarse(read_of, 20)
    assert joined.edges.tolist() == [0, 20, 30]
    assert joined.watts["nand"].tolist() == [3, 2]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["0,10,1,1,1,1"], "2: 6 fields; expected 7"),
        (["0,10,1,1,1,1,x"], '2: controller_w is "x"; '),
        (["0,10,-1,1,1,1,1"], '2: nand_w is "-1"; '),
        ([",10,1,1,1,1,1"], '2: time_ns is ""; '),
        (["0,10,1,1,1,1,1", "0,10,1,1,1,1,1"], "2: periods out of order; "),
        (["0,0,1,1,1,1,1"], "2: periods out of order; "),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, rows: list[str], said: str) -> None:
    with pytest.raises(InputError, match="power.csv:") as error:
        read(tmp_path, *rows)
    assert said in str(error.value)


def test_another_header_is_refused(tmp_path: Path) -> None:
    (tmp_path / "power.csv").write_text("time\n1\n")
    with pytest.raises(InputError, match="another header"):
        read_power(tmp_path / "power.csv")


def test_a_run_without_currents_has_no_figure(runs: RunMaker) -> None:
    directory = runs.write("none")
    (directory / "power.csv").write_text(f"{HEADER}\n0,10,,,,,\n")
    from cavern.plots.finding import load_runs

    with pytest.raises(NotAvailableError, match="no part of the drive has currents"):
        power.draw(load_runs([directory])[0], Options())
    (directory / "power.csv").write_text(f"{HEADER}\n")
    with pytest.raises(NotAvailableError, match="holds no period"):
        power.draw(load_runs([directory])[0], Options())
