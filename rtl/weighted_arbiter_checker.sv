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
  input wire logic [NumWays-1:0]   req_i,
  input wire logic [2*NumWays-1:0] class_i,
  input wire logic                 release_i,
  input wire logic                 valid_i,
  input wire logic [NumWays-1:0]   grant_i
);

  localparam int unsigned All        = WeightReadOut + WeightCommand + WeightProgramData;
  localparam int unsigned MostPassed = NumWays - 1;
  // Grants of others between two of a class: all they had left, then the smaller ones' once more.
  localparam logic [17:0] Gap = {6'(2 * (All - WeightProgramData)),
                                 6'((All - WeightCommand) + WeightReadOut),
                                 6'(All - WeightReadOut)};

  logic                 past_q;
  logic [NumWays-1:0]   req_q;
  logic [2*NumWays-1:0] class_q;
  logic                 release_q;
  logic                 valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      past_q    <= 1'b0;
      req_q     <= '0;
      class_q   <= '0;
      release_q <= 1'b0;
      valid_q   <= 1'b0;
    end else begin
      past_q    <= 1'b1;
      req_q     <= req_i;
      class_q   <= class_i;
      release_q <= release_i;
      valid_q   <= valid_i;
    end
  end

  logic granted;
  assign granted = past_q && (!valid_q || release_q) && valid_i;

  logic [3*NumWays-1:0] wanted;  // at the edge before, by class
  for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_split
    assign wanted[w]             = req_q[w] && class_q[2*w +: 2] == 2'd0;
    assign wanted[NumWays + w]   = req_q[w] && class_q[2*w +: 2] == 2'd1;
    assign wanted[2*NumWays + w] = req_q[w] && class_q[2*w + 1];
  end

  logic [2:0] starved;    // a class was passed over once more than its weight allows
  logic [2:0] unordered;  // a way was, within its class
  for (genvar c = 0; c < 3; c = c + 1) begin : gen_class
    localparam logic [5:0] Most = Gap[6*c +: 6];
    logic [NumWays-1:0] want;
    logic               mine;
    logic [5:0]         others_q;
    assign want       = wanted[NumWays*c +: NumWays];
    assign mine       = granted && (|(grant_i & want));
    assign starved[c] = granted && (|want) && !mine && others_q == Most;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                      others_q <= '0;
      else if (!(|want) || mine)        others_q <= '0;
      else if (granted && !starved[c])  others_q <= others_q + 6'd1;
    end

    logic [NumWays-1:0] overtaken;
    for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_way
      logic [4:0] count_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni)                            count_q <= '0;
        else if (!want[w] || (granted && grant_i[w])) count_q <= '0;
        else if (mine && !overtaken[w])         count_q <= count_q + 5'd1;
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
