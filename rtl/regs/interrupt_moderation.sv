// One interrupt line from four pending bits, two of which are moderated: request (bit 0) and dma_done
// (bit 2) wait until threshold_i events of them have come since both were last clear, or until
// cycles_i have passed since the first of those events. Time is an input, so that the block need not
// be clocked while nothing happens: the line is a function of state and time_i.

`default_nettype none

module interrupt_moderation (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [63:0] time_i,
  input  wire logic [1:0]  event_i,      // of request, of dma_done
  input  wire logic [3:0]  enable_i,
  input  wire logic [3:0]  pending_i,
  input  wire logic [7:0]  threshold_i,
  input  wire logic [31:0] cycles_i,
  output logic             line_o,
  output logic             armed_o,      // the line waits for due_o, or for more events
  output logic [63:0]      due_o
);

  localparam logic [3:0] Moderated = 4'b0101;

  logic [7:0]  events_q, events_kept, events_d;
  logic [8:0]  events_sum;
  logic [63:0] first_q;
  logic        wanted, ripe;

  // Both bits clear: what was counted has been served.
  assign events_kept = ((pending_i & Moderated) != '0) ? events_q : '0;
  assign events_sum  = {1'b0, events_kept} + 9'(event_i[0]) + 9'(event_i[1]);
  assign events_d    = events_sum[8] ? '1 : events_sum[7:0];

  assign wanted  = (pending_i & enable_i & Moderated) != '0;
  assign due_o   = first_q + {32'b0, cycles_i};
  assign ripe    = events_kept >= threshold_i || time_i >= due_o;
  assign line_o  = (pending_i & enable_i & ~Moderated) != '0 || (wanted && ripe);
  assign armed_o = wanted && !line_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      events_q <= '0;
      first_q  <= '0;
    end else begin
      events_q <= events_d;
      if (events_kept == '0 && event_i != '0) first_q <= time_i;
    end
  end

endmodule

`default_nettype wire
