// Grants the bus of one flash channel by weighted round robin over what it is wanted for. The same
// ports and handshake as channel_arbiter, in whose place it stands.
//
// Every class has a number of credits: WeightReadOut for class 0, WeightCommand for class 1,
// WeightProgramData for classes 2 and 3. A grant costs its class one. Among the classes that request
// and have a credit left the smallest number wins; when no requesting class has any, all are filled up
// again, at that same edge. Within a class the ways are served by round robin, each class with a
// pointer of its own: with a common one, grants of another class could keep moving it past a waiting
// way.
//
// Fairness: between two grants of a class that requests throughout, others get at most the weights of
// all other classes (what they had left) and then, once filled up, of the smaller ones: 5, 9 and 16
// grants with weights 4, 4, 1. Within its class a request is passed over at most NumWays - 1 times.
// So every wait is bounded, and no way needs a time stamp: time_i and age_limit_i are not used.
//
// Nothing changes at an edge without a grant or a release, so such edges may be gated off.
//
// NumWays == 1: the way is granted whenever it requests a free bus; index_o is one bit, always 0.

`default_nettype none

module weighted_arbiter #(
  parameter  int unsigned NumWays           = 4,  // 1..16
  parameter  int unsigned WeightReadOut     = 4,  // grants, 1..15
  parameter  int unsigned WeightCommand     = 4,
  parameter  int unsigned WeightProgramData = 1,
  localparam int unsigned IndexWidth        = (NumWays > 1) ? $clog2(NumWays) : 1
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

  // Packed by class, class 0 lowest: Yosys 0.23 knows no arrays at ports or of parameters.
  localparam logic [11:0] Full = {WeightProgramData[3:0], WeightCommand[3:0], WeightReadOut[3:0]};

  logic               take;  // this edge grants
  logic [NumWays-1:0] winner;

  // Classes: who wants what, which class is served, what credit it leaves.
  logic [NumWays-1:0] class_low, class_high;
  for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_split
    assign class_low[w]  = class_i[2*w];
    assign class_high[w] = class_i[2*w+1];
  end

  logic [3*NumWays-1:0] wanting;  // requests of each class
  assign wanting = {req_i & class_high, req_i & ~class_high & class_low,
                    req_i & ~class_high & ~class_low};

  logic [11:0] credit_q;  // four bits a class
  logic [2:0]  present, funded, eligible, served;
  logic        refill;
  assign refill   = !(|funded);
  assign eligible = refill ? present : funded;
  assign served   = eligible & (~eligible + 3'd1);  // one-hot, the smallest class

  logic [3*NumWays-1:0] shortlists;  // the next way of the class that is served, one-hot
  for (genvar c = 0; c < 3; c = c + 1) begin : gen_class
    localparam logic [3:0] Weight = Full[4*c +: 4];
    logic [NumWays-1:0] want;
    logic [3:0]         level, credit_d;  // before and after this edge's grant

    assign want       = wanting[NumWays*c +: NumWays];
    assign present[c] = |want;
    assign funded[c]  = present[c] && credit_q[4*c +: 4] != 4'd0;

    round_robin #(
      .NumWays(NumWays)
    ) u_turn (
      .clk_i, .rst_ni, .want_i(want), .served_i(served[c]), .take_i(take),
      .winner_o(shortlists[NumWays*c +: NumWays])
    );

    assign level = refill ? Weight : credit_q[4*c +: 4];
    always_comb begin
      credit_d = credit_q[4*c +: 4];
      if (take) credit_d = served[c] ? level - 4'd1 : level;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        credit_q[4*c +: 4] <= Weight;
      end else begin
        credit_q[4*c +: 4] <= credit_d;
      end
    end
  end

  assign winner = shortlists[0 +: NumWays] | shortlists[NumWays +: NumWays] |
                  shortlists[2*NumWays +: NumWays];

  grant_register #(
    .NumWays(NumWays)
  ) u_grant (
    .clk_i, .rst_ni, .req_i, .release_i, .winner_i(winner), .take_o(take), .valid_o, .grant_o, .index_o
  );

  logic unused_inputs;
  assign unused_inputs = ^{time_i, age_limit_i};

endmodule

`default_nettype wire
