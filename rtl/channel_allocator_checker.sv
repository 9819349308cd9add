// Properties of channel_allocator, seen at its ports only: the answer standing now to the inputs of
// the edge before.

`default_nettype none

module channel_allocator_checker #(
  parameter  int unsigned NumChannels  = 8,
  parameter  int unsigned NumWays      = 4,
  parameter  int unsigned MaxVictims   = 32,
  localparam int unsigned ChannelWidth = (NumChannels > 1) ? $clog2(NumChannels) : 1,
  localparam int unsigned WayWidth     = (NumWays > 1) ? $clog2(NumWays) : 1,
  localparam int unsigned CountWidth   = $clog2(MaxVictims + 1)
) (
  input wire logic                    clk_i,
  input wire logic                    rst_ni,
  input wire logic                    start_i,
  input wire logic [CountWidth-1:0]   victims_i,
  input wire logic [NumChannels-1:0]  busy_i,
  input wire logic                    ready_i,
  input wire logic                    valid_i,
  input wire logic [ChannelWidth-1:0] channel_i,
  input wire logic [WayWidth-1:0]     way_i,
  input wire logic                    last_i
);

  localparam logic [CountWidth-1:0] OneVictim = 1;

  logic                   past_q;
  logic                   start_q;
  logic [CountWidth-1:0]  victims_q;
  logic [NumChannels-1:0] busy_q;
  logic                   ready_q;
  logic [CountWidth-1:0]  due_q, due;  // victims owed: before the edge before, and now

  assign due = (ready_q && start_q) ? victims_q : due_q - (valid_i ? OneVictim : '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      past_q    <= 1'b0;
      start_q   <= 1'b0;
      victims_q <= '0;
      busy_q    <= '0;
      ready_q   <= 1'b1;
      due_q     <= '0;
    end else begin
      past_q    <= 1'b1;
      start_q   <= start_i;
      victims_q <= victims_i;
      busy_q    <= busy_i;
      ready_q   <= ready_i;
      due_q     <= due;
    end
  end

  // No die has a second turn before every die of a free channel had one: with no channel busy since
  // the last such pass, NumChannels * NumWays hand-outs in a row are all different.
  localparam int unsigned Dies     = NumChannels * NumWays;
  localparam int unsigned DieWidth = (Dies > 1) ? $clog2(Dies) : 1;
  logic [Dies-1:0]     had_q;   // dies that had their turn in this round
  logic [Dies-1:0]     now;     // the die of this hand-out, one-hot
  logic [DieWidth-1:0] die;
  logic                again;
  assign die   = DieWidth'(channel_i) + DieWidth'(NumChannels) * DieWidth'(way_i);
  assign now   = valid_i ? Dies'(1) << die : '0;
  assign again = |(had_q & now);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                                             had_q <= '0;
    else if (!past_q || (|busy_q) || (had_q | now) == {Dies{1'b1}}) had_q <= '0;
    else                                                     had_q <= had_q | now;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      ChannelWasFree:    assert (!past_q || !valid_i || !busy_q[channel_i]);
      ChannelExists:     assert (!valid_i || 32'(channel_i) < NumChannels);
      WayExists:         assert (!valid_i || 32'(way_i) < NumWays);
      OnlyWhatIsDue:     assert (!past_q || !valid_i || due_q != '0);
      NothingIsHeldBack: assert (!past_q || valid_i || due_q == '0 || (&busy_q));
      ReadyWhenDone:     assert (!past_q || ready_i == (due == '0));
      LastEndsTheBurst:  assert (!past_q || last_i == (valid_i && due_q == OneVictim));
      EveryDieInTurn:    assert (!past_q || (|busy_q) || !again);
    end
  end

endmodule

`default_nettype wire
