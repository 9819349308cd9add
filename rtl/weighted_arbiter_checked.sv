// The weighted arbiter with its properties beside it: the top of simulation and proof. Synthesis takes
// weighted_arbiter alone.

`default_nettype none

module weighted_arbiter_checked #(
  parameter  int unsigned NumWays           = 4,
  parameter  int unsigned WeightReadOut     = 4,
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

  weighted_arbiter #(
    .NumWays          (NumWays),
    .WeightReadOut    (WeightReadOut),
    .WeightCommand    (WeightCommand),
    .WeightProgramData(WeightProgramData)
  ) u_arbiter (
    .clk_i, .rst_ni, .req_i, .class_i, .release_i, .time_i, .age_limit_i, .valid_o, .grant_o, .index_o
  );

  logic [NumWays-1:0] asked;    // at the edge before
  logic               granted;  // by the edge before
  arbiter_port_checker #(
    .NumWays(NumWays)
  ) u_ports (
    .clk_i, .rst_ni, .req_i, .release_i, .valid_i(valid_o), .grant_i(grant_o), .index_i(index_o),
    .asked_o(asked), .granted_o(granted)
  );

  weighted_arbiter_checker #(
    .NumWays          (NumWays),
    .WeightReadOut    (WeightReadOut),
    .WeightCommand    (WeightCommand),
    .WeightProgramData(WeightProgramData)
  ) u_fairness (
    .clk_i, .rst_ni, .class_i, .grant_i(grant_o), .asked_i(asked), .granted_i(granted)
  );

endmodule

`default_nettype wire
