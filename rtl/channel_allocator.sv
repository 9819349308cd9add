// Hands a burst of evicted logical blocks to the dies in turn, channels varying fastest: CAVE's
// round-robin block allocator (Park et al., SAC 2011, section 4.2), one victim a clock edge.
//
// Handshake: start_i with victims_i at an edge where ready_o is high begins a burst. At each later edge
// one victim is handed out, if there is a channel that is not busy: valid_o is high for one cycle with
// channel_o and way_o. last_o marks the burst's last victim; ready_o rises with it, so that there is one
// edge without a hand-out between two bursts. victims_i = 0 is no burst.
//
// The pointer stands at the die after the one given last: die k is channel k mod NumChannels, way
// (k div NumChannels) mod NumWays. Dies whose channel is busy (busy_i) are passed over, in the same
// cycle: the first free channel from the pointer's on, of the pointer's way, else the first free one
// of the next way. Those passed over do not get a turn later. While all channels are busy nothing is
// handed out and the pointer stands still.
//
// busy_i is sampled at the edge that hands out. It stands for whatever keeps a channel from taking a
// program: no room in its dies, or a full queue before its arbiter.

`default_nettype none

module channel_allocator #(
  parameter  int unsigned NumChannels  = 8,   // 1..16
  parameter  int unsigned NumWays      = 4,   // 1..16
  parameter  int unsigned MaxVictims   = 32,  // 1..255
  localparam int unsigned ChannelWidth = (NumChannels > 1) ? $clog2(NumChannels) : 1,
  localparam int unsigned WayWidth     = (NumWays > 1) ? $clog2(NumWays) : 1,
  localparam int unsigned CountWidth   = $clog2(MaxVictims + 1)
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  input  wire logic                    start_i,
  input  wire logic [CountWidth-1:0]   victims_i,  // 0..MaxVictims
  input  wire logic [NumChannels-1:0]  busy_i,
  output logic                         ready_o,
  output logic                         valid_o,
  output logic [ChannelWidth-1:0]      channel_o,
  output logic [WayWidth-1:0]          way_o,
  output logic                         last_o
);

  localparam logic [NumChannels-1:0]  OneChannel  = 1;
  localparam logic [ChannelWidth-1:0] LastChannel = ChannelWidth'(NumChannels - 1);
  localparam logic [WayWidth-1:0]     LastWay     = WayWidth'(NumWays - 1);
  localparam logic [CountWidth-1:0]   OneVictim   = 1;

  logic [CountWidth-1:0]   left_q, left_d;        // victims of the burst still to be handed out
  logic [ChannelWidth-1:0] channel_q, channel_d;  // the pointer
  logic [WayWidth-1:0]     way_q, way_d;

  logic [NumChannels-1:0] open, ahead, pool, chosen;
  logic                   wrapped;
  logic                   hand;  // this edge hands out
  assign open    = ~busy_i;
  assign ahead   = open & ~((OneChannel << channel_q) - OneChannel);
  assign wrapped = !(|ahead);
  assign pool    = wrapped ? open : ahead;
  assign chosen  = pool & (~pool + OneChannel);
  assign hand    = left_q != '0 && (|open);

  logic [ChannelWidth-1:0] channel;
  integer c;
  always_comb begin
    channel = '0;
    for (c = 0; c < NumChannels; c = c + 1) begin
      if (chosen[c]) channel = channel | c[ChannelWidth-1:0];
    end
  end

  logic [WayWidth-1:0] way, way_after;
  assign way_after = (way_q == LastWay) ? '0 : way_q + WayWidth'(1);
  assign way       = wrapped ? way_after : way_q;

  always_comb begin
    left_d    = left_q;
    channel_d = channel_q;
    way_d     = way_q;
    if (hand) begin
      left_d    = left_q - OneVictim;
      channel_d = channel + ChannelWidth'(1);
      way_d     = way;
      if (channel == LastChannel) begin
        channel_d = '0;
        way_d     = (way == LastWay) ? '0 : way + WayWidth'(1);
      end
    end
    if (left_q == '0 && start_i) left_d = victims_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q    <= '0;
      channel_q <= '0;
      way_q     <= '0;
      valid_o   <= 1'b0;
      last_o    <= 1'b0;
      channel_o <= '0;
      way_o     <= '0;
    end else begin
      left_q    <= left_d;
      channel_q <= channel_d;
      way_q     <= way_d;
      valid_o   <= hand;
      last_o    <= hand && left_q == OneVictim;
      if (hand) begin
        channel_o <= channel;
        way_o     <= way;
      end
    end
  end

  assign ready_o = left_q == '0;

endmodule

`default_nettype wire
