// The data port of a core in front of a peripheral: what Ibex calls its load-store interface (Ibex
// Reference Guide, "Load-Store Unit") becomes a transfer of AMBA APB4 (ARM IHI 0024C, chapter 3).
// One access at a time: req_i is granted when the one before has been answered. Granted in cycle 0,
// set-up in cycle 1, access from cycle 2 on; rvalid_o in the cycle in which pready_i is high.

`default_nettype none

module data_to_apb #(
  parameter int unsigned AddressWidth = 16
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  input  wire logic                    req_i,
  input  wire logic                    we_i,
  input  wire logic [3:0]              be_i,
  input  wire logic [AddressWidth-1:0] addr_i,
  input  wire logic [31:0]             wdata_i,
  output logic                         gnt_o,
  output logic                         rvalid_o,
  output logic [31:0]                  rdata_o,
  output logic                         err_o,
  output logic                         psel_o,
  output logic                         penable_o,
  output logic                         pwrite_o,
  output logic [AddressWidth-1:0]      paddr_o,
  output logic [31:0]                  pwdata_o,
  output logic [3:0]                   pstrb_o,
  input  wire logic                    pready_i,
  input  wire logic [31:0]             prdata_i,
  input  wire logic                    pslverr_i
);

  localparam logic [1:0] Idle   = 2'd0;
  localparam logic [1:0] Setup  = 2'd1;
  localparam logic [1:0] Access = 2'd2;

  logic [1:0] state_d, state_q;

  assign gnt_o     = req_i && state_q == Idle;
  assign psel_o    = state_q != Idle;
  assign penable_o = state_q == Access;
  assign rvalid_o  = state_q == Access && pready_i;
  assign err_o     = rvalid_o && pslverr_i;
  assign rdata_o   = (rvalid_o && !pwrite_o && !pslverr_i) ? prdata_i : '0;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:    if (req_i) state_d = Setup;
      Setup:   state_d = Access;
      Access:  if (pready_i) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      pwrite_o <= 1'b0;
      paddr_o  <= '0;
      pwdata_o <= '0;
      pstrb_o  <= '0;
    end else begin
      state_q <= state_d;
      if (gnt_o) begin
        pwrite_o <= we_i;
        paddr_o  <= addr_i;
        pwdata_o <= wdata_i;
        pstrb_o  <= we_i ? be_i : 4'b0; // a read has no strobes (APB4, 3.4.2)
      end
    end
  end

endmodule

`default_nettype wire
