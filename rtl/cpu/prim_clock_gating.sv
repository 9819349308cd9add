// A clock gate without glitches, as Ibex asks for it: the enable is held while the clock is high.
// A core that sleeps has no clock, so that its cycle counter stands still.
`default_nettype none
module prim_clock_gating (
    input  wire logic clk_i,
    input  wire logic en_i,
    input  wire logic test_en_i,
    output logic      clk_o
);
  logic enable;

  always_latch begin
    if (!clk_i) enable = en_i | test_en_i;
  end

  assign clk_o = enable & clk_i;
endmodule
`default_nettype wire
