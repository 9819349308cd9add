// Seventeen allocators on one clock and one reset: one of each number of ways from 1 to 16, with each
// number of channels from 1 to 16 once, and the default shape. The most victims of a burst is every
// power of two up to 128, and numbers drawn from Seed.

`default_nettype none

/* verilator lint_off SYNCASYNCNET */  // the checkers sample the asynchronous reset at the edge
/* verilator lint_off UNUSEDSIGNAL */  // a shape uses as many lines as it has channels

module every_allocator #(
  parameter int unsigned Seed = 1
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        start_i    [17],
  input  wire logic [7:0]  victims_i  [17],
  input  wire logic [15:0] busy_i     [17],
  output logic             ready_o    [17],
  output logic             valid_o    [17],
  output logic [3:0]       channel_o  [17],
  output logic [3:0]       way_o      [17],
  output logic             last_o     [17],
  output logic [4:0]       channels_o [17],  // what shape this is
  output logic [4:0]       ways_o     [17],
  output logic [7:0]       most_o     [17]
);

  for (genvar s = 0; s < 17; s = s + 1) begin : gen_shape
    localparam int unsigned Ways     = (s == 16) ? 4 : s + 1;
    localparam int unsigned Channels = (s == 16) ? 8 : (5 * s + Seed) % 16 + 1;
    localparam int unsigned Drawn    = (s * 32'h9E3779B9 + Seed * 32'h85EBCA6B) >> 20;
    localparam int unsigned Most     = (s == 16) ? 32 : (s % 2 == 0) ? 1 << (s / 2) : Drawn % 255 + 1;
    localparam int unsigned ChannelWidth = (Channels > 1) ? $clog2(Channels) : 1;
    localparam int unsigned WayWidth     = (Ways > 1) ? $clog2(Ways) : 1;
    localparam int unsigned CountWidth   = $clog2(Most + 1);
    logic [ChannelWidth-1:0] channel;
    logic [WayWidth-1:0]     way;
    assign channel_o[s]  = 4'(channel);
    assign way_o[s]      = 4'(way);
    assign channels_o[s] = Channels[4:0];
    assign ways_o[s]     = Ways[4:0];
    assign most_o[s]     = Most[7:0];

    channel_allocator_checked #(
      .NumChannels(Channels),
      .NumWays    (Ways),
      .MaxVictims (Most)
    ) u_checked (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .start_i  (start_i[s]),
      .victims_i(victims_i[s][CountWidth-1:0]),
      .busy_i   (busy_i[s][Channels-1:0]),
      .ready_o  (ready_o[s]),
      .valid_o  (valid_o[s]),
      .channel_o(channel),
      .way_o    (way),
      .last_o   (last_o[s])
    );
  end

endmodule

`default_nettype wire
