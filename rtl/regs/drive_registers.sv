// The registers of the drive: fields and bus from cavern_regs.rdl (cavern_regs.sv, made by
// peakrdl-regblock), and here what has a state of its own: three queues and the interrupt line. The
// processor's side is a data port as Ibex has it; the drive's side is flat. What a store starts
// happens one cycle after its access, when the fields hold what it wrote.

`default_nettype none

module drive_registers (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [63:0] time_i,            // cycle of the processor's clock

  // The processor's data port.
  input  wire logic        req_i,
  input  wire logic        we_i,
  input  wire logic [3:0]  be_i,
  input  wire logic [15:0] addr_i,
  input  wire logic [31:0] wdata_i,
  output logic             gnt_o,
  output logic             rvalid_o,
  output logic [31:0]      rdata_o,
  output logic             err_o,
  output logic             irq_o,
  output logic             irq_armed_o,
  output logic [63:0]      irq_due_o,

  // Requests of the host.
  output logic             ready_o,
  output logic             request_full_o,
  input  wire logic        request_push_i,
  input  wire logic [3:0]  request_opcode_i,
  input  wire logic        request_fua_i,
  input  wire logic [15:0] request_tag_i,
  input  wire logic [31:0] request_page_i,
  input  wire logic [31:0] request_pages_i,
  input  wire logic [63:0] request_arrival_i,

  // Operations, and doorbells among them.
  output logic             operation_valid_o,
  input  wire logic        operation_take_i,
  output logic [3:0]       operation_kind_o,
  output logic [3:0]       operation_origin_o,
  output logic             operation_last_o,
  output logic [15:0]      operation_tag_o,
  output logic [3:0]       operation_result_o,
  output logic [31:0]      operation_logical_page_o,
  output logic [31:0]      operation_source_o,
  output logic [31:0]      operation_destination_o,
  output logic [31:0]      operation_frame_o,
  output logic             operation_waits_o,
  output logic [30:0]      operation_after_o,
  output logic             operation_copies_o,
  output logic [31:0]      operation_supersedes_o,
  output logic [31:0]      operation_units_o,
  output logic             operation_hit_o,
  output logic             operation_done_o,

  // DMA descriptors.
  output logic             dma_valid_o,
  input  wire logic        dma_take_i,
  input  wire logic        dma_complete_i,
  output logic             dma_to_flash_o,
  output logic [15:0]      dma_tag_o,
  output logic [31:0]      dma_frame_o,
  output logic [31:0]      dma_page_o,
  output logic [7:0]       dma_first_o,
  output logic [7:0]       dma_sectors_o,

  // The window: req for one cycle, ack in the same cycle or later.
  output logic             window_req_o,
  output logic             window_write_o,
  output logic             window_space_o,
  output logic [32:0]      window_word_o,
  output logic [3:0]       window_be_o,
  output logic [31:0]      window_wdata_o,
  input  wire logic        window_ack_i,
  input  wire logic        window_outside_i,  // with ack: the space has no such word
  input  wire logic [31:0] window_rdata_i,

  // What the drive is and does.
  input  wire logic [31:0] busy_cycles_i,     // more cycles that the firmware was busy
  input  wire logic        host_idle_i,
  input  wire logic        flash_idle_i,
  input  wire logic [7:0]  channels_i,
  input  wire logic [7:0]  ways_i,
  input  wire logic [7:0]  planes_i,
  input  wire logic [31:0] blocks_i,
  input  wire logic [31:0] pages_i,
  input  wire logic [31:0] page_bytes_i,
  input  wire logic [31:0] logical_pages_i,
  input  wire logic [31:0] frames_i,
  input  wire logic [31:0] clock_khz_i
);

  localparam int unsigned RequestSlots   = int'(cavern_regs_pkg::REQUEST_SLOTS);
  localparam int unsigned OperationSlots = int'(cavern_regs_pkg::OPERATION_SLOTS);
  localparam int unsigned DmaSlots       = int'(cavern_regs_pkg::DMA_SLOTS);

  cavern_regs_pkg::cavern_regs__in_t  hwif_in;
  cavern_regs_pkg::cavern_regs__out_t hwif_out;

  logic        psel, penable, pwrite, pready, pslverr;
  logic [15:0] paddr;
  logic [31:0] pwdata, prdata;
  logic [3:0]  pstrb;

  data_to_apb u_bus (
    .clk_i, .rst_ni, .req_i, .we_i, .be_i, .addr_i, .wdata_i, .gnt_o, .rvalid_o, .rdata_o, .err_o,
    .psel_o(psel), .penable_o(penable), .pwrite_o(pwrite), .paddr_o(paddr), .pwdata_o(pwdata),
    .pstrb_o(pstrb), .pready_i(pready), .prdata_i(prdata), .pslverr_i(pslverr)
  );

  cavern_regs u_fields (
    .clk(clk_i), .arst_n(rst_ni),
    .s_apb_psel(psel), .s_apb_penable(penable), .s_apb_pwrite(pwrite), .s_apb_pprot(3'b0),
    .s_apb_paddr(paddr), .s_apb_pwdata(pwdata), .s_apb_pstrb(pstrb), .s_apb_pready(pready),
    .s_apb_prdata(prdata), .s_apb_pslverr(pslverr),
    .hwif_in, .hwif_out
  );

  // Stores that start something: their fields hold the new values in the cycle after.
  logic bell_q, operation_q, submit_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bell_q      <= 1'b0;
      operation_q <= 1'b0;
      submit_q    <= 1'b0;
    end else begin
      bell_q      <= hwif_out.control.doorbell.tag.swmod;
      operation_q <= hwif_out.operation.command.kind.swmod;
      submit_q    <= hwif_out.dma.command.to_flash.swmod;
    end
  end

  // Request queue.
  logic                              request_valid, pop;
  logic [$clog2(RequestSlots+1)-1:0] request_level;
  assign pop = hwif_out.request.pop.head.value;

  register_queue #(.Width(149), .Depth(RequestSlots)) u_requests (
    .clk_i, .rst_ni,
    .push_i (request_push_i),
    .data_i ({request_opcode_i, request_fua_i, request_tag_i, request_page_i, request_pages_i,
              request_arrival_i}),
    .take_i (pop),
    .valid_o(request_valid),
    .full_o (request_full_o),
    .data_o ({hwif_in.request.command.opcode.next, hwif_in.request.command.fua.next,
              hwif_in.request.command.tag.next, hwif_in.request.page.value.next,
              hwif_in.request.pages.value.next, hwif_in.request.arrival_high.value.next,
              hwif_in.request.arrival_low.value.next}),
    .level_o(request_level)
  );
  assign hwif_in.request.fill.value.next = 8'(request_level);

  // Operation queue: an operation, or a doorbell behind the operations of its request.
  logic                                operation_full;
  logic [255:0]                        operation;
  logic [$clog2(OperationSlots+1)-1:0] operation_level;
  assign operation = bell_q
    ? {8'b0, 1'b1, hwif_out.control.doorbell.tag.value, hwif_out.control.doorbell.result.value, 227'b0}
    : {hwif_out.operation.command.kind.value, hwif_out.operation.command.origin.value,
       hwif_out.operation.command.last.value, hwif_out.operation.command.tag.value, 4'b0,
       hwif_out.operation.logical_page.value.value, hwif_out.operation.source.value.value,
       hwif_out.operation.destination.value.value, hwif_out.operation.frame.value.value,
       hwif_out.operation.dependence.valid.value, hwif_out.operation.dependence.index.value,
       hwif_out.operation.command.copies.value, hwif_out.operation.supersedes.value.value,
       hwif_out.operation.units.value.value, hwif_out.operation.outcome.hit.value,
       hwif_out.operation.outcome.done.value};

  register_queue #(.Width(256), .Depth(OperationSlots)) u_operations (
    .clk_i, .rst_ni,
    .push_i (operation_q || bell_q),
    .data_i (operation),
    .take_i (operation_take_i),
    .valid_o(operation_valid_o),
    .full_o (operation_full),
    .data_o ({operation_kind_o, operation_origin_o, operation_last_o, operation_tag_o,
              operation_result_o, operation_logical_page_o, operation_source_o,
              operation_destination_o, operation_frame_o, operation_waits_o, operation_after_o,
              operation_copies_o, operation_supersedes_o, operation_units_o, operation_hit_o,
              operation_done_o}),
    .level_o(operation_level)
  );
  assign hwif_in.operation.fill.value.next = 16'(operation_level);
  assign hwif_in.operation.fill.free.next  = 16'(OperationSlots) - 16'(operation_level);

  // DMA queue.
  logic                          dma_full;
  logic [$clog2(DmaSlots+1)-1:0] dma_level;

  register_queue #(.Width(97), .Depth(DmaSlots)) u_descriptors (
    .clk_i, .rst_ni,
    .push_i (submit_q),
    .data_i ({hwif_out.dma.command.to_flash.value, hwif_out.dma.command.tag.value,
              hwif_out.dma.frame.value.value, hwif_out.dma.page.value.value,
              hwif_out.dma.extent.first.value, hwif_out.dma.extent.sectors.value}),
    .take_i (dma_take_i),
    .valid_o(dma_valid_o),
    .full_o (dma_full),
    .data_o ({dma_to_flash_o, dma_tag_o, dma_frame_o, dma_page_o, dma_first_o, dma_sectors_o}),
    .level_o(dma_level)
  );
  assign hwif_in.dma.fill.value.next      = 16'(dma_level);
  assign hwif_in.dma.fill.free.next       = 16'(DmaSlots) - 16'(dma_level);
  assign hwif_in.dma.completed.value.incr = dma_complete_i;

  // Status and mistakes.
  logic underflow, operation_lost, dma_lost, outside;
  assign underflow      = pop && !request_valid;
  assign operation_lost = (operation_q || bell_q) && operation_full;
  assign dma_lost       = submit_q && dma_full;
  assign outside        = window_ack_i && window_outside_i;

  assign ready_o = hwif_out.control.control.ready.value;
  assign hwif_in.control.status.request_waiting.next = request_valid;
  assign hwif_in.control.status.operation_full.next  = operation_full;
  assign hwif_in.control.status.operation_empty.next = !operation_valid_o;
  assign hwif_in.control.status.dma_full.next        = dma_full;
  assign hwif_in.control.status.dma_empty.next       = !dma_valid_o;
  assign hwif_in.control.status.host_idle.next       = host_idle_i;
  assign hwif_in.control.status.flash_idle.next      = flash_idle_i;

  assign hwif_in.control.error.request_underflow.hwset  = underflow;
  assign hwif_in.control.error.operation_overflow.hwset = operation_lost;
  assign hwif_in.control.error.dma_overflow.hwset       = dma_lost;
  assign hwif_in.control.error.window_range.hwset       = outside;

  // The window. A read outside the space is 0.
  assign window_req_o   = hwif_out.memory.req;
  assign window_write_o = hwif_out.memory.req_is_wr;
  assign window_space_o = hwif_out.window.space.select.value;
  assign window_word_o  = {1'b0, hwif_out.window.offset.value.value} + 33'(hwif_out.memory.addr[13:2]);
  assign window_wdata_o = hwif_out.memory.wr_data;
  for (genvar b = 0; b < 4; b++) begin : gen_window_be
    assign window_be_o[b] = hwif_out.memory.wr_biten[8*b];
  end
  assign hwif_in.memory.rd_ack  = window_ack_i && !pwrite;
  assign hwif_in.memory.wr_ack  = window_ack_i && pwrite;
  assign hwif_in.memory.rd_data = window_outside_i ? '0 : window_rdata_i;

  // Geometry.
  assign hwif_in.geometry.parallelism.channels.next = channels_i;
  assign hwif_in.geometry.parallelism.ways.next     = ways_i;
  assign hwif_in.geometry.parallelism.planes.next   = planes_i;
  assign hwif_in.geometry.blocks.value.next         = blocks_i;
  assign hwif_in.geometry.pages.value.next          = pages_i;
  assign hwif_in.geometry.page_bytes.value.next     = page_bytes_i;
  assign hwif_in.geometry.logical_pages.value.next  = logical_pages_i;
  assign hwif_in.geometry.frames.value.next         = frames_i;
  assign hwif_in.geometry.clock.khz.next            = clock_khz_i;

  // Performance counters.
  assign hwif_in.counters.requests.value.incr         = pop && request_valid;
  assign hwif_in.counters.decisions.value.incr        = bell_q && !operation_full;
  assign hwif_in.counters.operations.value.incr       = operation_q && !operation_full;
  assign hwif_in.counters.busy_cycles.value.incr      = busy_cycles_i != '0;
  assign hwif_in.counters.busy_cycles.value.incrvalue = busy_cycles_i;

  // Interrupts.
  logic [3:0] set;
  assign set[0] = (request_push_i && !request_full_o) || hwif_out.irq.raise.request.value;
  assign set[1] = (operation_take_i && operation_level == 1 && !operation_q && !bell_q)
                  || hwif_out.irq.raise.operation_empty.value;
  assign set[2] = dma_complete_i || hwif_out.irq.raise.dma_done.value;
  assign set[3] = underflow || operation_lost || dma_lost || outside || hwif_out.irq.raise.error.value;
  assign hwif_in.irq.pending.request.hwset         = set[0];
  assign hwif_in.irq.pending.operation_empty.hwset = set[1];
  assign hwif_in.irq.pending.dma_done.hwset        = set[2];
  assign hwif_in.irq.pending.error.hwset           = set[3];

  interrupt_moderation u_moderation (
    .clk_i, .rst_ni, .time_i,
    .event_i    ({set[2], set[0]}),
    .enable_i   ({hwif_out.irq.enable.error.value, hwif_out.irq.enable.dma_done.value,
                  hwif_out.irq.enable.operation_empty.value, hwif_out.irq.enable.request.value}),
    .pending_i  ({hwif_out.irq.pending.error.value, hwif_out.irq.pending.dma_done.value,
                  hwif_out.irq.pending.operation_empty.value, hwif_out.irq.pending.request.value}),
    .threshold_i(hwif_out.irq.moderation.events.value),
    .cycles_i   (hwif_out.irq.moderation_time.cycles.value),
    .line_o     (irq_o),
    .armed_o    (irq_armed_o),
    .due_o      (irq_due_o)
  );

endmodule

`default_nettype wire
