// The example of docs/bring-your-own-arbiter.md: round robin by a mask of the ways that still have
// their turn in this round. It shares nothing with channel_arbiter but ports and handshake, and grants
// the same as its policy round-robin.

`default_nettype none

module mask_arbiter #(
  parameter  int unsigned NumWays    = 4,
  localparam int unsigned IndexWidth = (NumWays > 1) ? $clog2(NumWays) : 1
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  input  wire logic [NumWays-1:0]    req_i,
  input  wire logic [2*NumWays-1:0]  class_i,
  input  wire logic                  release_i,
  input  wire logic [31:0]           time_i,
  input  wire logic [31:0]           age_limit_i,
  output logic                       valid_o,
  output logic [NumWays-1:0]         grant_o,
  output logic [IndexWidth-1:0]      index_o
);

  logic [NumWays-1:0]    turn_q;  // the ways above the one granted last
  logic [NumWays-1:0]    winner, above;
  logic [IndexWidth-1:0] winner_index;

  integer way;
  always_comb begin
    winner       = '0;
    above        = '0;
    winner_index = '0;
    // Downwards, so that the lowest request is written last: of all, then of those in turn.
    for (way = NumWays - 1; way >= 0; way = way - 1) begin
      if (req_i[way]) winner_index = way[IndexWidth-1:0];
    end
    for (way = NumWays - 1; way >= 0; way = way - 1) begin
      if (req_i[way] && turn_q[way]) winner_index = way[IndexWidth-1:0];
    end
    for (way = 0; way < NumWays; way = way + 1) begin
      winner[way] = way[IndexWidth-1:0] == winner_index;
      above[way]  = way[IndexWidth-1:0] > winner_index;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q  <= '0;
      valid_o <= 1'b0;
      grant_o <= '0;
      index_o <= '0;
    end else if (!valid_o || release_i) begin
      valid_o <= |req_i;
      grant_o <= (|req_i) ? winner : '0;
      if (|req_i) begin
        index_o <= winner_index;
        turn_q  <= above;
      end
    end
  end

endmodule

`default_nettype wire
