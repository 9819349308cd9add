"""Area and depth of the RTL by Yosys."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import pytest
from cavern.bench.rtl_cost import DESIGNS, RTL, synthesize
from cavern.choices import choices
from cavern.plots.figures.arbiter_cost import PANELS, draw

PARITY = """\
module chain #(parameter N = 2) (input wire [N-1:0] a, input wire clk, output reg q);
  always @(posedge clk) q <= ^a;
endmodule
"""


def test_counts_are_those_of_a_circuit_known_by_heart(tmp_path: Path) -> None:
    source = tmp_path / "chain.sv"
    source.write_text(PARITY)
    for inputs in (2, 4, 8):
        cost = synthesize(source, "chain", {"N": inputs})
        assert (cost.gates, cost.flip_flops) == (inputs - 1, 1)
        assert inputs.bit_length() - 1 <= cost.depth <= inputs - 1


@pytest.mark.slow
def test_every_policy_grows_with_its_ways() -> None:
    costs = {
        policy: [
            synthesize(RTL / f"{design}.sv", design, {"NumWays": ways, **parameters})
            for ways in (2, 4)
        ]
        for policy, (design, parameters) in DESIGNS.items()
    }
    for two, four in costs.values():
        assert two.gates < four.gates and two.flip_flops < four.flip_flops
        assert 1 < two.depth <= four.depth
    # Busy, grant, index, pointer; and a time stamp of 32 bits and a waiting bit for each way.
    assert costs["round-robin"][1].flip_flops == 1 + 4 + 2 + 4
    assert costs["priority-age"][1].flip_flops == 11 + 4 * 33


def test_every_policy_of_the_program_has_a_design() -> None:
    assert tuple(DESIGNS) == choices("channel.policy")


def test_source_with_a_mistake_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "chain.sv"
    source.write_text(PARITY.replace("endmodule", ""))
    with pytest.raises(click.ClickException, match="yosys does not take"):
        synthesize(source, "chain", {"N": 2})


def test_figure_shows_every_number() -> None:
    made = {"first": {1: 3, 4: 40}, "second": {1: 30, 4: 400}}
    figure = draw(
        {
            policy: {ways: {key: value for key, _, _ in PANELS} for ways, value in by_ways.items()}
            for policy, by_ways in made.items()
        }
    )
    for panel in figure.axes:
        assert [np.asarray(line.get_ydata()).tolist() for line in panel.lines] == [
            [3, 40],
            [30, 400],
        ]
