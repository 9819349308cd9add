// The allocator with its properties beside it: the top of simulation. Synthesis takes
// channel_allocator alone.

`default_nettype none

module channel_allocator_checked #(
  parameter  int unsigned NumChannels  = 8,
  parameter  int unsigned NumWays      = 4,
  parameter  int unsigned MaxVictims   = 32,
  localparam int unsigned ChannelWidth = (NumChannels > 1) ? $clog2(NumChannels) : 1,
  localparam int unsigned WayWidth     = (NumWays > 1) ? $clog2(NumWays) : 1,
  localparam int unsigned CountWidth   = $clog2(MaxVictims + 1)
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  input  wire logic                    start_i,
  input  wire logic [CountWidth-1:0]   victims_i,
  input  wire logic [NumChannels-1:0]  busy_i,
  output logic                         ready_o,
  output logic                         valid_o,
  output logic [ChannelWidth-1:0]      channel_o,
  output logic [WayWidth-1:0]          way_o,
  output logic                         last_o
);

  channel_allocator #(
    .NumChannels(NumChannels),
    .NumWays    (NumWays),
    .MaxVictims (MaxVictims)
  ) u_allocator (
    .clk_i, .rst_ni, .start_i, .victims_i, .busy_i, .ready_o, .valid_o, .channel_o, .way_o, .last_o
  );

  channel_allocator_checker #(
    .NumChannels(NumChannels),
    .NumWays    (NumWays),
    .MaxVictims (MaxVictims)
  ) u_checker (
    .clk_i, .rst_ni, .start_i, .victims_i, .busy_i, .ready_i(ready_o), .valid_i(valid_o),
    .channel_i(channel_o), .way_i(way_o), .last_i(last_o)
  );

endmodule

`default_nettype wire
