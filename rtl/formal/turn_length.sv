// Turns of round robin until way Way has had one, its own included: what the proofs count with.

`default_nettype none

module turn_length #(
  parameter int unsigned NumWays = 4,
  parameter int unsigned Way     = 0
) (
  input  wire logic [NumWays-1:0] last_i,   // one-hot: the way that had its turn last
  output logic [4:0]              length_o
);

  integer v;
  always_comb begin
    length_o = '0;
    for (v = 0; v < NumWays; v = v + 1) begin
      if (last_i[v]) length_o = length_o | ((Way + NumWays - v - 1) % NumWays + 1);
    end
  end

endmodule

`default_nettype wire
