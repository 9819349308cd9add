// One arbiter of each number of ways from 1 to 16, all on one clock and one reset, each with inputs of
// its own: every shape for the build time of one model. Policies 0 and 1 are those of channel_arbiter;
// policy 2 is weighted_arbiter, with weights that are drawn from Seed and told at weights_o.

`default_nettype none

/* verilator lint_off SYNCASYNCNET */  // the checkers sample the asynchronous reset at the edge
/* verilator lint_off UNUSEDSIGNAL */  // a shape uses as many lines as it has ways

module every_arbiter #(
  parameter int unsigned Policy = 0,
  parameter int unsigned Seed   = 1
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [15:0] req_i       [16],
  input  wire logic [31:0] class_i     [16],
  input  wire logic        release_i   [16],
  input  wire logic [31:0] time_i      [16],
  input  wire logic [31:0] age_limit_i [16],
  output logic             valid_o     [16],
  output logic [15:0]      grant_o     [16],
  output logic [3:0]       index_o     [16],
  output logic [11:0]      weights_o   [16]  // four bits a class, class 0 lowest
);

  // 1..15, by the finalizer of Mueller's 32-bit hash.
  function automatic int unsigned drawn(input int unsigned n);
    int unsigned x;
    x = n * 32'h9E3779B9 + Seed * 32'h85EBCA6B;
    x = (x ^ (x >> 16)) * 32'h45D9F3B;
    x = (x ^ (x >> 16)) * 32'h45D9F3B;
    return 1 + (x ^ (x >> 16)) % 15;
  endfunction

  for (genvar s = 0; s < 16; s = s + 1) begin : gen_ways
    localparam int unsigned NumWays    = s + 1;
    localparam int unsigned IndexWidth = (NumWays > 1) ? $clog2(NumWays) : 1;
    logic [NumWays-1:0]    grant;
    logic [IndexWidth-1:0] index;
    assign grant_o[s] = 16'(grant);
    assign index_o[s] = 4'(index);

    if (Policy == 2) begin : gen_weighted
      localparam int unsigned ReadOut     = drawn(3 * s);
      localparam int unsigned Command     = drawn(3 * s + 1);
      localparam int unsigned ProgramData = drawn(3 * s + 2);
      assign weights_o[s] = {ProgramData[3:0], Command[3:0], ReadOut[3:0]};
      weighted_arbiter_checked #(
        .NumWays          (NumWays),
        .WeightReadOut    (ReadOut),
        .WeightCommand    (Command),
        .WeightProgramData(ProgramData)
      ) u_checked (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .req_i      (req_i[s][NumWays-1:0]),
        .class_i    (class_i[s][2*NumWays-1:0]),
        .release_i  (release_i[s]),
        .time_i     (time_i[s]),
        .age_limit_i(age_limit_i[s]),
        .valid_o    (valid_o[s]),
        .grant_o    (grant),
        .index_o    (index)
      );
    end else begin : gen_channel
      assign weights_o[s] = '0;
      channel_arbiter_checked #(
        .NumWays(NumWays),
        .Policy (Policy)
      ) u_checked (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .req_i      (req_i[s][NumWays-1:0]),
        .class_i    (class_i[s][2*NumWays-1:0]),
        .release_i  (release_i[s]),
        .time_i     (time_i[s]),
        .age_limit_i(age_limit_i[s]),
        .valid_o    (valid_o[s]),
        .grant_o    (grant),
        .index_o    (index)
      );
    end
  end

endmodule

`default_nettype wire
