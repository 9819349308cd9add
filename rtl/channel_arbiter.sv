// Grants the bus of one flash channel to one of its ways at a time.
//
// Handshake: a way raises its bit of req_i with its class in class_i and keeps both until it is
// granted, then drops the request. The grant is registered, and held until release_i is high at a
// clock edge. At that same edge the bus may already pass to the next way: there is no idle cycle
// between two grants. A request that stays up while its way holds the bus counts as a new one.
//
// Policy 0, round robin: the first requesting way cyclically after the way granted last. A steady
// request is passed over at most NumWays - 1 times.
//
// Policy 1, class priority with ageing: the smallest class wins (0 read-out, 1 command, 2 program
// data), but a request that has waited age_limit_i cycles or more goes above all classes. Equals are
// served by round robin, so an aged request is passed over at most NumWays - 1 times.
//
// Age is time_i minus the time_i of the edge at which the request was first seen, modulo 2^32. The
// count comes from outside, so edges at which nothing can change may be gated off without changing
// any decision. A request older than 2^32 cycles would look young again: 21 s at 200 MHz.
//
// NumWays == 1: the way is granted whenever it requests a free bus; index_o is one bit, always 0.

`default_nettype none

module channel_arbiter #(
  parameter  int unsigned NumWays    = 4,  // 1..16
  parameter  int unsigned Policy     = 0,
  localparam int unsigned IndexWidth = (NumWays > 1) ? $clog2(NumWays) : 1
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  input  wire logic [NumWays-1:0]    req_i,
  input  wire logic [2*NumWays-1:0]  class_i,
  input  wire logic                  release_i,
  input  wire logic [31:0]           time_i,       // number of this clock edge
  input  wire logic [31:0]           age_limit_i,  // static; policy 1 only
  output logic                       valid_o,
  output logic [NumWays-1:0]         grant_o,
  output logic [IndexWidth-1:0]      index_o
);

  logic               take;        // this edge grants
  logic [NumWays-1:0] candidates;  // requests of the most urgent level present
  logic [NumWays-1:0] winner;

  if (Policy == 0) begin : gen_round_robin
    logic unused_inputs;
    assign unused_inputs = ^{class_i, time_i, age_limit_i};
    assign candidates    = req_i;
  end else begin : gen_priority_age
    logic [NumWays-1:0] waiting_q, waiting_d;
    logic [NumWays-1:0] class_low, class_high;  // the two bits of every class
    logic [NumWays-1:0] promoted, reading, commanding, programming;

    assign waiting_d = req_i & ~(take ? winner : '0);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) waiting_q <= '0;
      else         waiting_q <= waiting_d;
    end

    for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_way
      logic [31:0] stamp_q;  // needs no reset: read only while waiting_q[w]
      logic [31:0] age;

      always_ff @(posedge clk_i) begin
        if (waiting_d[w] && !waiting_q[w]) stamp_q <= time_i;
      end

      assign age           = waiting_q[w] ? time_i - stamp_q : 32'd0;
      assign promoted[w]   = req_i[w] && age >= age_limit_i;
      assign class_low[w]  = class_i[2*w];
      assign class_high[w] = class_i[2*w+1];
    end

    assign reading     = req_i & ~class_high & ~class_low;
    assign commanding  = req_i & ~class_high & class_low;
    assign programming = req_i & class_high & ~class_low;

    always_comb begin
      candidates = req_i;
      if (|promoted)         candidates = promoted;
      else if (|reading)     candidates = reading;
      else if (|commanding)  candidates = commanding;
      else if (|programming) candidates = programming;
    end
  end

  round_robin #(
    .NumWays(NumWays)
  ) u_turn (
    .clk_i, .rst_ni, .want_i(candidates), .served_i(1'b1), .take_i(take), .winner_o(winner)
  );

  grant_register #(
    .NumWays(NumWays)
  ) u_grant (
    .clk_i, .rst_ni, .req_i, .release_i, .winner_i(winner), .take_o(take), .valid_o, .grant_o, .index_o
  );

endmodule

`default_nettype wire
