// Top of the proof of weighted_arbiter: the arbiter with its checkers under any inputs, and invariants
// that tie credits and pointers to what the checker has counted, so that induction closes for every
// number of ways.
//
// The peek_* wires have no driver here: the proof script (tb/formal/prove.py) joins each to the wire
// or register of that name after flattening, and stops when one is left loose.
//
// Nothing is assumed of requests, classes and releases. Reset is asserted in the first step and may
// come again at any later one.

`default_nettype none

module weighted_arbiter_formal #(
  parameter  int unsigned NumWays           = 4,
  parameter  int unsigned WeightReadOut     = 4,
  parameter  int unsigned WeightCommand     = 4,
  parameter  int unsigned WeightProgramData = 1,
  localparam int unsigned IndexWidth        = (NumWays > 1) ? $clog2(NumWays) : 1
) (
  input wire logic                 clk_i,
  input wire logic                 rst_ni,
  input wire logic [NumWays-1:0]   req_i,
  input wire logic [2*NumWays-1:0] class_i,
  input wire logic                 release_i,
  input wire logic [31:0]          time_i
);

  localparam logic [NumWays-1:0] One    = 1;
  localparam logic [4:0]         NumMax = NumWays;
  localparam logic [11:0]        Full   = {WeightProgramData[3:0], WeightCommand[3:0],
                                           WeightReadOut[3:0]};

  logic                  valid;
  logic [NumWays-1:0]    grant;
  logic [IndexWidth-1:0] index;

  weighted_arbiter_checked #(
    .NumWays          (NumWays),
    .WeightReadOut    (WeightReadOut),
    .WeightCommand    (WeightCommand),
    .WeightProgramData(WeightProgramData)
  ) u_checked (
    .clk_i, .rst_ni, .req_i, .class_i, .release_i, .time_i, .age_limit_i(32'd0), .valid_o(valid),
    .grant_o(grant), .index_o(index)
  );

  initial assume (!rst_ni);

  // What the arbiter remembers, by class, and what the checker does.
  logic [11:0]            peek_credit;
  logic [3*NumWays-1:0]   peek_last;
  logic                   peek_granted;  // at the edge before
  logic [3*NumWays-1:0]   peek_wanted;   // sampled at the edge before
  logic [2:0]             peek_mine;     // the class was granted at the edge before
  logic [17:0]            peek_others;
  logic [15*NumWays-1:0]  peek_count;

  GrantIsOneWay: assert property ((grant & (grant - One)) == '0);
  ValidIsGrant:  assert property (valid == (|grant));
  IndexIsGrant:  assert property (!valid || grant == (One << index));

  logic [2:0] within, pointed;        // credits and pointers are such as a run leaves behind
  logic [2:0] share_comes;            // what others got and may still get is within the bound
  logic [3*NumWays-1:0] turn_comes;   // the same of a way within its class

  for (genvar c = 0; c < 3; c = c + 1) begin : gen_class
    localparam logic [3:0] Weight = Full[4*c +: 4];
    logic [3:0]            credit;
    logic [NumWays-1:0]    last, wanted;
    assign credit     = peek_credit[4*c +: 4];
    assign last       = peek_last[NumWays*c +: NumWays];
    assign wanted     = peek_wanted[NumWays*c +: NumWays];
    assign within[c]  = credit <= Weight;
    assign pointed[c] = last != '0 && (last & (last - One)) == '0;

    // Grants that others may get before this class does: with credit left, what smaller classes
    // have; without, what all others have and, when all are filled up, the smaller ones once more.
    logic [6:0] most, coming;
    integer     k;
    always_comb begin
      most   = '0;
      coming = '0;
      for (k = 0; k < 3; k = k + 1) begin
        if (k != c) most = most + {3'd0, Full[4*k +: 4]};
        if (k < c)  most = most + {3'd0, Full[4*k +: 4]};
        if (k != c && (k < c || credit == 4'd0)) coming = coming + {3'd0, peek_credit[4*k +: 4]};
        if (k < c && credit == 4'd0)             coming = coming + {3'd0, Full[4*k +: 4]};
      end
    end
    logic passed;  // at the edge before
    assign passed         = peek_granted && !peek_mine[c];
    assign share_comes[c] = !(|wanted) || peek_mine[c] ||
                            {1'b0, peek_others[6*c +: 6]} + {6'd0, passed} + coming <= most;

    for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_way
      logic [4:0] length;  // grants of the class until round robin has come to w
      turn_length #(
        .NumWays(NumWays),
        .Way    (w)
      ) u_length (
        .last_i(last), .length_o(length)
      );
      logic [4:0] count;
      assign count = peek_count[5*(NumWays*c + w) +: 5];
      assign turn_comes[NumWays*c + w] =
          !wanted[w] || (peek_granted && grant[w]) ||
          {1'b0, count} + {5'd0, peek_mine[c]} + {1'b0, length} <= {1'b0, NumMax};
    end
  end

  CreditWithinWeight: assert property (within == '1);
  PointerIsOneWay:    assert property (pointed == '1);
  ShareComes:         assert property (share_comes == '1);
  TurnComes:          assert property (turn_comes == '1);

endmodule

`default_nettype wire
