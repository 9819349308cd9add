// Who holds the bus of a channel: the handshake that every arbiter has at its ports. A free bus is
// granted at the first edge with a request, to the way that the policy has found. The grant stands
// until release_i is high at a clock edge, at which the bus may already pass to the next way.

`default_nettype none

module grant_register #(
  parameter  int unsigned NumWays    = 4,  // 1..16
  localparam int unsigned IndexWidth = (NumWays > 1) ? $clog2(NumWays) : 1
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  input  wire logic [NumWays-1:0]    req_i,
  input  wire logic                  release_i,
  input  wire logic [NumWays-1:0]    winner_i,  // one-hot, one of those that request
  output logic                       take_o,    // this edge grants
  output logic                       valid_o,
  output logic [NumWays-1:0]         grant_o,
  output logic [IndexWidth-1:0]      index_o
);

  logic                  busy_q, busy_d;
  logic [NumWays-1:0]    grant_q, grant_d;
  logic [IndexWidth-1:0] index_q, index_d;

  logic free;  // this edge may grant
  assign free   = !busy_q || release_i;
  assign take_o = free && (|req_i);

  logic [IndexWidth-1:0] winner_index;
  integer way;
  always_comb begin
    winner_index = '0;
    for (way = 0; way < NumWays; way = way + 1) begin
      if (winner_i[way]) winner_index = winner_index | way[IndexWidth-1:0];
    end
  end

  always_comb begin
    busy_d  = busy_q;
    grant_d = grant_q;
    index_d = index_q;
    if (take_o) begin
      busy_d  = 1'b1;
      grant_d = winner_i;
      index_d = winner_index;
    end else if (release_i) begin
      busy_d  = 1'b0;
      grant_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      grant_q <= '0;
      index_q <= '0;
    end else begin
      busy_q  <= busy_d;
      grant_q <= grant_d;
      index_q <= index_d;
    end
  end

  assign valid_o = busy_q;
  assign grant_o = grant_q;
  assign index_o = index_q;

endmodule

`default_nettype wire
