// What the policies of channel_arbiter promise, seen at its ports only; that a grant is in order at all
// is arbiter_port_checker's. Immediate assertions, so that the same file simulates in Verilator and
// proves in Yosys (tb/formal).
//
// At each edge the checker judges the edge before it: the outputs standing now are the answer to the
// inputs kept in the *_q registers. Nothing is assumed of the requesters; of the count it is assumed
// that age_limit_i stands still and that no request waits 2^32 cycles.
//
// WaitIsBounded and ServedInTurn count from the edge a request is aged at; in round robin that is its
// first. ServedInTurn is the stronger: no other way has the bus twice while one waits, so of n steady
// requesters, however many ways there are, each is served within n grants.

`default_nettype none

module channel_arbiter_checker #(
  parameter int unsigned NumWays = 4,
  parameter int unsigned Policy  = 0
) (
  input wire logic                 clk_i,
  input wire logic                 rst_ni,
  input wire logic [2*NumWays-1:0] class_i,
  input wire logic [31:0]          time_i,
  input wire logic [31:0]          age_limit_i,
  input wire logic [NumWays-1:0]   grant_i,
  input wire logic [NumWays-1:0]   asked_i,   // requests at the edge before
  input wire logic                 granted_i  // and whether it granted
);

  localparam int unsigned MostPassed = NumWays - 1;

  logic [NumWays-1:0] passed;  // requests that were up while another was granted
  assign passed = granted_i ? asked_i & ~grant_i : '0;

  logic [NumWays-1:0] aged;   // requests that had reached the age limit
  logic               urged;  // a request of a more urgent level than the winner's was passed over

  if (Policy == 0) begin : gen_round_robin
    logic unused_inputs;
    assign unused_inputs = ^{class_i, time_i, age_limit_i};
    assign aged          = asked_i;  // the bound holds from the first edge on
    assign urged         = 1'b0;
  end else begin : gen_priority_age
    logic [2*NumWays-1:0] class_q;
    logic [31:0]          time_q;
    logic [NumWays-1:0]   waiting_q;
    logic [NumWays-1:0]   class_low, class_high;
    logic [NumWays-1:0]   level0, level1, level2, level3;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        class_q   <= '0;
        time_q    <= '0;
        waiting_q <= '0;
      end else begin
        class_q   <= class_i;
        time_q    <= time_i;
        waiting_q <= granted_i ? asked_i & ~grant_i : asked_i;
      end
    end

    for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_way
      logic [31:0] stamp_q;
      always_ff @(posedge clk_i) begin
        if (asked_i[w] && !waiting_q[w]) stamp_q <= time_q;
      end
      assign aged[w] = asked_i[w] && (waiting_q[w] ? time_q - stamp_q : 32'd0) >= age_limit_i;
      assign class_low[w]  = class_q[2*w];
      assign class_high[w] = class_q[2*w+1];
    end

    assign level0 = aged;
    assign level1 = aged | (asked_i & ~class_high & ~class_low);
    assign level2 = aged | (asked_i & ~class_high);
    assign level3 = aged | (asked_i & ~(class_high & class_low));

    // A level with a request in it must contain the winner.
    assign urged = ((|level0) && !(|(level0 & grant_i))) || ((|level1) && !(|(level1 & grant_i))) ||
                   ((|level2) && !(|(level2 & grant_i))) || ((|level3) && !(|(level3 & grant_i)));
  end

  logic [NumWays-1:0] overtaken;  // passed over once more than the rules allow
  logic [NumWays-1:0] repeated;   // passed over a second time by the same way
  logic [NumWays-1:0] longest;    // granted after the longest wait the rules allow
  for (genvar w = 0; w < NumWays; w = w + 1) begin : gen_bound
    logic [4:0]         count_q;   // grants to others since this way waits aged
    logic [NumWays-1:0] served_q;  // and who had them
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        count_q  <= '0;
        served_q <= '0;
      end else if (!asked_i[w] || (granted_i && grant_i[w])) begin
        count_q  <= '0;
        served_q <= '0;
      end else if (passed[w] && aged[w] && !overtaken[w]) begin
        count_q  <= count_q + 5'd1;
        served_q <= served_q | grant_i;
      end
    end
    assign overtaken[w] = passed[w] && aged[w] && count_q == MostPassed[4:0];
    assign repeated[w]  = passed[w] && aged[w] && (|(served_q & grant_i));
    assign longest[w]   = granted_i && grant_i[w] && count_q == MostPassed[4:0];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      MostUrgentWins:    assert (!granted_i || !urged);
      WaitIsBounded:     assert (overtaken == '0);
      ServedInTurn:      assert (repeated == '0);
      LongestWaitOccurs: cover (|longest);
    end
  end

endmodule

`default_nettype wire
