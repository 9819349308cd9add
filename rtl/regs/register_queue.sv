// First in, first out, in flip-flops. The head stands at data_o while valid_o is high; without one
// data_o is 0. An entry pushed into a full queue is lost, also when one is taken in the same cycle:
// whoever pushes looks at full_o. take_i without valid_o does nothing. Depth 1 works.

`default_nettype none

module register_queue #(
  parameter  int unsigned Width      = 8,
  parameter  int unsigned Depth      = 4,
  localparam int unsigned LevelWidth = $clog2(Depth + 1)
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  input  wire logic                  push_i,
  input  wire logic [Width-1:0]      data_i,
  input  wire logic                  take_i,
  output logic                       valid_o,
  output logic                       full_o,
  output logic [Width-1:0]           data_o,
  output logic [LevelWidth-1:0]      level_o
);

  localparam int unsigned PlaceWidth = (Depth > 1) ? $clog2(Depth) : 1;
  localparam logic [PlaceWidth-1:0] LastPlace = PlaceWidth'(Depth - 1);

  logic [Width-1:0]      entry_q [Depth];
  logic [PlaceWidth-1:0] head_q, tail_q;
  logic [LevelWidth-1:0] level_q;
  logic                  push, take;

  assign full_o  = level_q == LevelWidth'(Depth);
  assign valid_o = level_q != '0;
  assign level_o = level_q;
  assign data_o  = valid_o ? entry_q[head_q] : '0;
  assign push    = push_i && !full_o;
  assign take    = take_i && valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      level_q <= '0;
    end else begin
      if (push) tail_q <= (tail_q == LastPlace) ? '0 : tail_q + PlaceWidth'(1);
      if (take) head_q <= (head_q == LastPlace) ? '0 : head_q + PlaceWidth'(1);
      if (push && !take) level_q <= level_q + LevelWidth'(1);
      if (take && !push) level_q <= level_q - LevelWidth'(1);
    end
  end

  // Entries need no reset: none is seen before it is pushed.
  always_ff @(posedge clk_i) begin
    if (push) entry_q[tail_q] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    LevelWithinDepth: assert (level_q <= LevelWidth'(Depth));
  end

endmodule

`default_nettype wire
