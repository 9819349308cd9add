// Whose turn it is: the first way that wants one, cyclically after the way that had it last. Way 0
// comes first after reset.

`default_nettype none

module round_robin #(
  parameter int unsigned NumWays = 4  // 1..16
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic [NumWays-1:0] want_i,
  input  wire logic               served_i,  // one of these ways is to have a turn
  input  wire logic               take_i,    // whoever is to have one has it at this edge
  output logic [NumWays-1:0]      winner_o   // one-hot; zero while none of them is served
);

  localparam logic [NumWays-1:0] One      = 1;
  localparam logic [NumWays-1:0] FirstRef = One << (NumWays - 1);

  logic [NumWays-1:0] last_q, last_d;  // one-hot: the way that had its turn last
  logic [NumWays-1:0] ahead;           // those above it, before wrapping round
  logic [NumWays-1:0] pool;
  assign ahead    = want_i & ~(last_q | (last_q - One));
  assign pool     = (|ahead) ? ahead : want_i;
  assign winner_o = served_i ? pool & (~pool + One) : '0;
  assign last_d   = (take_i && served_i) ? winner_o : last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q <= FirstRef;
    end else begin
      last_q <= last_d;
    end
  end

endmodule

`default_nettype wire
