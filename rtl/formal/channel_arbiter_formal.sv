// Top of the proof: the arbiter with its checker under any inputs, the assumptions, and invariants
// that tie the two together so that induction closes after a few steps for every number of ways.
//
// The peek_* wires have no driver here: the proof script (tb/formal/prove.py) joins each to the wire
// or register of that name after flattening, and stops when one is left loose.
//
// Nothing is assumed of requests, classes and releases. Reset is asserted in the first step and may
// come again at any later one.

`default_nettype none

module channel_arbiter_formal #(
  parameter  int unsigned NumWays    = 4,
  parameter  int unsigned Policy     = 0,
  parameter  int unsigned ShownLimit = 0,         // age limit of a run to look at; 0 in a proof
  localparam int unsigned IndexWidth = (NumWays > 1) ? $clog2(NumWays) : 1
) (
  input wire logic                 clk_i,
  input wire logic                 rst_ni,
  input wire logic [NumWays-1:0]   req_i,
  input wire logic [2*NumWays-1:0] class_i,
  input wire logic                 release_i,
  input wire logic [31:0]          time_i
);

  localparam logic [NumWays-1:0] One    = 1;
  localparam logic [4:0]         NumMax = NumWays;

  (* anyconst *) logic [31:0] age_limit;

  logic                  valid;
  logic [NumWays-1:0]    grant;
  logic [IndexWidth-1:0] index;

  channel_arbiter_checked #(
    .NumWays(NumWays),
    .Policy (Policy)
  ) u_checked (
    .clk_i, .rst_ni, .req_i, .class_i, .release_i, .time_i, .age_limit_i(age_limit), .valid_o(valid),
    .grant_o(grant), .index_o(index)
  );

  initial assume (!rst_ni);

  logic [NumWays-1:0] peek_judged;  // ways whose ages this proof is about: a constant

  // What the arbiter remembers, and what the checker does.
  logic [NumWays-1:0]         peek_last;
  logic [NumWays-1:0]         peek_asked;    // as sampled at the edge before
  logic                       peek_granted;  // at the edge before
  logic [NumWays-1:0]         peek_passed;
  logic [NumWays-1:0]         peek_aged;
  logic [5*NumWays-1:0]       peek_count;
  logic [NumWays*NumWays-1:0] peek_served;

  LastIsOneHot:  assert property (peek_last != '0 && (peek_last & (peek_last - One)) == '0);
  GrantIsLast:   assert property (grant == '0 || grant == peek_last);
  ValidIsGrant:  assert property (valid == (|grant));
  IndexIsGrant:  assert property (!valid || grant == (One << index));

  logic [NumWays-1:0] pending;  // sampled at the edge before and still waiting
  assign pending = peek_asked & ~(peek_granted ? grant : '0);

  logic [NumWays-1:0] turn_comes;    // grants counted and grants to come are within the bound
  logic [NumWays-1:0] had_its_turn;  // ways counted once are not to be served again
  logic [NumWays-1:0] counted, served_none;

  for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_turn
    localparam logic [NumWays-1:0] Way  = One << w;
    localparam logic [NumWays-1:0] UpTo = Way | (Way - One);

    // Ways that round robin may serve until w has had its turn, w included, and their number.
    logic [NumWays-1:0] above_last, until_turn;
    assign above_last = ~(peek_last | (peek_last - One));
    assign until_turn = (|(above_last & Way)) ? above_last & UpTo : above_last | UpTo;

    logic [4:0] length;
    turn_length #(
      .NumWays(NumWays),
      .Way    (w)
    ) u_length (
      .last_i(peek_last), .length_o(length)
    );

    logic               counts;  // the grant of the edge before is one more
    logic [4:0]         count_q, count;
    logic [NumWays-1:0] served_q, served;
    assign counts   = peek_passed[w] && peek_aged[w];
    assign count_q  = peek_count[5*w+:5];
    assign served_q = peek_served[NumWays*w+:NumWays];
    assign count    = count_q + {4'd0, counts};
    assign served   = served_q | (counts ? grant : '0);

    assign turn_comes[w]   = {1'b0, count} + {1'b0, length} <= {1'b0, NumMax};
    assign had_its_turn[w] = (served & until_turn) == '0;
    assign counted[w]      = count_q != '0;
    assign served_none[w]  = served_q == '0;
  end

  CountLeavesATurn:   assert property ((pending & ~turn_comes) == '0);
  ServedHadTheirTurn: assert property ((pending & ~had_its_turn) == '0);
  CountAndServed:     assert property (counted == ~served_none);
  CountedStaysAged:   assert property ((counted & peek_asked & ~peek_aged) == '0);

  if (Policy != 0) begin : gen_priority_age
    logic [NumWays-1:0]    peek_waiting;          // in the arbiter
    logic [32*NumWays-1:0] peek_stamp, peek_age;
    logic [31:0]           peek_checker_time;     // of the edge before
    logic [NumWays-1:0]    peek_checker_waiting;  // one edge behind the arbiter's
    logic [32*NumWays-1:0] peek_checker_stamp;
    logic [NumWays-1:0]    stamps_agree, ages_grow;

    for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_age
      logic [31:0] stamp;
      assign stamp = peek_stamp[32*w+:32];
      assign stamps_agree[w] =
          stamp == (peek_checker_waiting[w] ? peek_checker_stamp[32*w+:32] : peek_checker_time);

      logic [31:0] age_q;  // at the edge before
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) age_q <= '0;
        else         age_q <= peek_age[32*w+:32];
      end
      assign ages_grow[w] = peek_age[32*w+:32] >= age_q;
    end

    logic [NumWays-1:0] peek_promoted, promoted_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) promoted_q <= '0;
      else         promoted_q <= peek_promoted;
    end

    // All that the order of grants needs to know of ages. Proven first, by themselves; then taken for
    // granted, with the arithmetic cut away, in the proof of everything else.
    WaitingIsPending:   assert property (peek_waiting == pending);
    StampsAgree:        assert property ((peek_waiting & ~stamps_agree & peek_judged) == '0);
    AgedWerePromoted:   assert property (((peek_aged ^ promoted_q) & peek_judged) == '0);
    PromotedIsRequest:  assert property ((peek_promoted & ~req_i) == '0);
    PromotedStays:      assert property ((promoted_q & pending & req_i & ~peek_promoted & peek_judged) == '0);

    // The count does not go backwards, and no request waits until it wraps.
    AgesGrow: assume property ((peek_waiting & ~ages_grow) == '0);
  end

  if (ShownLimit != 0) begin : gen_shown
    // One run to look at, of the many that a proof allows: every way always asks, way 0 to program
    // and the others to read, and the bus is passed on at every second edge of an ungated clock.
    logic [31:0] edges_q = '0;
    always_ff @(posedge clk_i) edges_q <= edges_q + 32'd1;
    OneReset:        assume property (rst_ni == (edges_q != 32'd0));
    AllAsk:          assume property (req_i == {NumWays{1'b1}});
    WayZeroPrograms: assume property (class_i == 2);
    EverySecondEdge: assume property (release_i == edges_q[0]);
    TimeCountsEdges: assume property (time_i == edges_q);
    LimitIsShown:    assume property (age_limit == ShownLimit);
  end

endmodule

`default_nettype wire
