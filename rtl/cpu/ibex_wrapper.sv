// lowRISC's Ibex as the controller's processor: the configuration that the instruction set simulator
// is calibrated to, with flat ports for a Verilated model. Two pipeline stages, RV32IMC, multiplication
// in three cycles, a prefetch buffer and no cache.
//
// Both memory ports are granted at once. The answer to a request comes one cycle later or more, and
// answers come in the order of requests: the environment counts the cycles of its wait states.
//
// RVFI, the RISC-V Formal Interface, says what each instruction did in the cycle after it retires.
`default_nettype none
module ibex_wrapper (
    input  wire logic        clk_i,
    input  wire logic        rst_ni,
    input  wire logic [31:0] boot_addr_i,

    // instruction memory
    output logic             instr_req_o,
    output logic [31:0]      instr_addr_o,
    input  wire logic        instr_rvalid_i,
    input  wire logic [31:0] instr_rdata_i,
    input  wire logic        instr_err_i,

    // data memory
    output logic             data_req_o,
    output logic             data_we_o,
    output logic [3:0]       data_be_o,
    output logic [31:0]      data_addr_o,
    output logic [31:0]      data_wdata_o,
    input  wire logic        data_rvalid_i,
    input  wire logic [31:0] data_rdata_i,
    input  wire logic        data_err_i,

    // interrupts
    input  wire logic        irq_software_i,
    input  wire logic        irq_timer_i,
    input  wire logic        irq_external_i,
    input  wire logic [14:0] irq_fast_i,

    output logic             core_sleep_o,
    // In this cycle Ibex chooses among the interrupt lines and jumps. RVFI has the lines of the cycle
    // before, in which Ibex decided that it would.
    output logic             irq_jump_o,

    // RVFI, and of Ibex's extensions what a comparison needs
    output logic             rvfi_valid,
    output logic [63:0]      rvfi_order,
    output logic [31:0]      rvfi_insn,
    output logic             rvfi_trap,
    output logic             rvfi_intr,
    output logic [4:0]       rvfi_rd_addr,
    output logic [31:0]      rvfi_rd_wdata,
    output logic [31:0]      rvfi_pc_rdata,
    output logic [31:0]      rvfi_pc_wdata,
    output logic [31:0]      rvfi_mem_addr,
    output logic [31:0]      rvfi_ext_pre_mip,
    output logic [31:0]      rvfi_ext_post_mip,
    output logic [63:0]      rvfi_ext_mcycle
);

  assign irq_jump_o = u_ibex.u_ibex_core.pc_set & (u_ibex.u_ibex_core.pc_mux_id == ibex_pkg::PC_EXC) &
                      (u_ibex.u_ibex_core.exc_pc_mux_id == ibex_pkg::EXC_PC_IRQ);

  ibex_top #(
      .PMPEnable       (1'b0),
      .MHPMCounterNum  (0),
      .RV32E           (1'b0),
      .RV32M           (ibex_pkg::RV32MFast),
      .RV32B           (ibex_pkg::RV32BNone),
      .RegFile         (ibex_pkg::RegFileFF),
      .BranchTargetALU (1'b0),
      .WritebackStage  (1'b0),
      .ICache          (1'b0),
      .BranchPredictor (1'b0),
      .DbgTriggerEn    (1'b0),
      .SecureIbex      (1'b0)
  ) u_ibex (
      .clk_i,
      .rst_ni,
      .test_en_i  (1'b0),
      .ram_cfg_i  ('0),
      .hart_id_i  (32'h0),
      .boot_addr_i,

      .instr_req_o,
      .instr_gnt_i        (instr_req_o),
      .instr_rvalid_i,
      .instr_addr_o,
      .instr_rdata_i,
      .instr_rdata_intg_i (7'h0),
      .instr_err_i,

      .data_req_o,
      .data_gnt_i         (data_req_o),
      .data_rvalid_i,
      .data_we_o,
      .data_be_o,
      .data_addr_o,
      .data_wdata_o,
      .data_wdata_intg_o  (),
      .data_rdata_i,
      .data_rdata_intg_i  (7'h0),
      .data_err_i,

      .irq_software_i,
      .irq_timer_i,
      .irq_external_i,
      .irq_fast_i,
      .irq_nm_i           (1'b0),

      .scramble_key_valid_i (1'b0),
      .scramble_key_i       ('0),
      .scramble_nonce_i     ('0),
      .scramble_req_o       (),

      .debug_req_i         (1'b0),
      .crash_dump_o        (),
      .double_fault_seen_o (),

      .rvfi_valid,
      .rvfi_order,
      .rvfi_insn,
      .rvfi_trap,
      .rvfi_halt      (),
      .rvfi_intr,
      .rvfi_mode      (),
      .rvfi_ixl       (),
      .rvfi_rs1_addr  (),
      .rvfi_rs2_addr  (),
      .rvfi_rs3_addr  (),
      .rvfi_rs1_rdata (),
      .rvfi_rs2_rdata (),
      .rvfi_rs3_rdata (),
      .rvfi_rd_addr,
      .rvfi_rd_wdata,
      .rvfi_pc_rdata,
      .rvfi_pc_wdata,
      .rvfi_mem_addr,
      .rvfi_mem_rmask (), // of the width alone, whether the instruction loads or not: the bus says it
      .rvfi_mem_wmask (),
      .rvfi_mem_rdata (),
      .rvfi_mem_wdata (),
      .rvfi_ext_pre_mip,
      .rvfi_ext_post_mip,
      .rvfi_ext_nmi              (),
      .rvfi_ext_nmi_int          (),
      .rvfi_ext_debug_req        (),
      .rvfi_ext_debug_mode       (),
      .rvfi_ext_rf_wr_suppress   (),
      .rvfi_ext_mcycle,
      .rvfi_ext_mhpmcounters     (),
      .rvfi_ext_mhpmcountersh    (),
      .rvfi_ext_ic_scr_key_valid (),
      .rvfi_ext_irq_valid        (),

      .fetch_enable_i         (ibex_pkg::IbexMuBiOn),
      .alert_minor_o          (),
      .alert_major_internal_o (),
      .alert_major_bus_o      (),
      .core_sleep_o,
      .scan_rst_ni            (1'b1)
  );

endmodule
`default_nettype wire
