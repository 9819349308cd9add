// The fairness that the header of weighted_arbiter promises, counted at its ports; that a grant is in
// order at all is arbiter_port_checker's. It counts grants and knows nothing of credits.

`default_nettype none

module weighted_arbiter_checker #(
  parameter int unsigned NumWays           = 4,
  parameter int unsigned WeightReadOut     = 4,
  parameter int unsigned WeightCommand     = 4,
  parameter int unsigned WeightProgramData = 1
) (
  input wire logic                 clk_i,
  input wire logic                 rst_ni,
  input wire logic [2*NumWays-1:0] class_i,
  input wire logic [NumWays-1:0]   grant_i,
  input wire logic [NumWays-1:0]   asked_i,   // requests at the edge before
  input wire logic                 granted_i  // and whether it granted
);

  localparam int unsigned All        = WeightReadOut + WeightCommand + WeightProgramData;
  localparam int unsigned MostPassed = NumWays - 1;
  // Grants of others between two of a class: all they had left, then the smaller ones' once more.
  localparam logic [17:0] Gap = {6'(2 * (All - WeightProgramData)),
                                 6'((All - WeightCommand) + WeightReadOut),
                                 6'(All - WeightReadOut)};

  logic [2*NumWays-1:0] class_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) class_q <= '0;
    else         class_q <= class_i;
  end

  logic [3*NumWays-1:0] wanted;  // at the edge before, by class
  for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_split
    assign wanted[w]             = asked_i[w] && class_q[2*w +: 2] == 2'd0;
    assign wanted[NumWays + w]   = asked_i[w] && class_q[2*w +: 2] == 2'd1;
    assign wanted[2*NumWays + w] = asked_i[w] && class_q[2*w + 1];
  end

  logic [2:0] starved;    // a class was passed over once more than its weight allows
  logic [2:0] unordered;  // a way was, within its class
  for (genvar c = 0; c < 3; c = c + 1) begin : gen_class
    localparam logic [5:0] Most = Gap[6*c +: 6];
    logic [NumWays-1:0] want;
    logic               mine;
    logic [5:0]         others_q;
    assign want       = wanted[NumWays*c +: NumWays];
    assign mine       = granted_i && (|(grant_i & want));
    assign starved[c] = granted_i && (|want) && !mine && others_q == Most;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                       others_q <= '0;
      else if (!(|want) || mine)         others_q <= '0;
      else if (granted_i && !starved[c]) others_q <= others_q + 6'd1;
    end

    logic [NumWays-1:0] overtaken;
    for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_way
      logic [4:0] count_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni)                                    count_q <= '0;
        else if (!want[w] || (granted_i && grant_i[w])) count_q <= '0;
        else if (mine && !overtaken[w])                 count_q <= count_q + 5'd1;
      end
      assign overtaken[w] = mine && want[w] && !grant_i[w] && count_q == MostPassed[4:0];
    end
    assign unordered[c] = |overtaken;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      ClassHasItsShare: assert (starved == '0);
      WayIsNotOvertaken: assert (unordered == '0);
    end
  end

endmodule

`default_nettype wire
