// The duties of every arbiter behind the ports of channel_arbiter, whatever its policy. Immediate
// assertions at the ports only, so that the same file simulates in Verilator and proves in Yosys.
//
// At each edge the checker judges the edge before it: the outputs standing now are the answer to the
// inputs kept in the *_q registers. Nothing is assumed of the requesters. The checkers of a policy are
// told what that edge was.

`default_nettype none

module arbiter_port_checker #(
  parameter  int unsigned NumWays    = 4,
  localparam int unsigned IndexWidth = (NumWays > 1) ? $clog2(NumWays) : 1
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  input  wire logic [NumWays-1:0]    req_i,
  input  wire logic                  release_i,
  input  wire logic                  valid_i,
  input  wire logic [NumWays-1:0]    grant_i,
  input  wire logic [IndexWidth-1:0] index_i,
  output logic [NumWays-1:0]         asked_o,   // requests at the edge before
  output logic                       granted_o  // and whether it granted
);

  localparam logic [NumWays-1:0] One = 1;

  // Inputs of the edge before, and the outputs it started from.
  logic                  past_q;
  logic [NumWays-1:0]    req_q;
  logic                  release_q;
  logic                  valid_q;
  logic [NumWays-1:0]    grant_q;
  logic [IndexWidth-1:0] index_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      past_q    <= 1'b0;
      req_q     <= '0;
      release_q <= 1'b0;
      valid_q   <= 1'b0;
      grant_q   <= '0;
      index_q   <= '0;
    end else begin
      past_q    <= 1'b1;
      req_q     <= req_i;
      release_q <= release_i;
      valid_q   <= valid_i;
      grant_q   <= grant_i;
      index_q   <= index_i;
    end
  end

  logic decided;  // the edge before was free to grant
  assign decided   = past_q && (!valid_q || release_q);
  assign granted_o = decided && valid_i;
  assign asked_o   = req_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      GrantIsOneHot:     assert ((grant_i & (grant_i - One)) == '0);
      ValidIsAnyGrant:   assert (valid_i == (|grant_i));
      IndexAgrees:       assert (!valid_i || grant_i == (One << index_i));
      GrantWasRequested: assert (!granted_o || (|(grant_i & req_q)));
      HeldUntilRelease:  assert (!past_q || decided ||
                                 (valid_i && grant_i == grant_q && index_i == index_q));
      FreeBusIsGranted:  assert (!decided || valid_i == (|req_q));
    end
  end

endmodule

`default_nettype wire
