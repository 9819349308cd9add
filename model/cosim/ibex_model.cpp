#include "cosim/ibex_model.h"

#include <verilated.h>
#include <Vibex.h>

namespace cavern {

namespace {

class IbexModel final : public IbexModelIf {
  public:
    explicit IbexModel(std::uint64_t seed) {
        context_.threads(1);
        context_.randReset(2);                                      // 2: random
        context_.randSeed(static_cast<int>(1 + seed % 0x7FFFFFFF)); // 1..2^31-1 is what it accepts
        model_ = std::make_unique<Vibex>(&context_, "");
    }

    ~IbexModel() override {
        Verilated::threadContextp(&context_); // the generated destructor asks for it
        model_->final();
    }

    /// Two clocks in reset: the asynchronous reset is seen as a falling edge of rst_ni. One more
    /// opens the clock gate, so that the first cycle from here on is the first that mcycle counts.
    void reset(std::uint32_t boot_address) override {
        IbexOutputs ignored;
        model_->boot_addr_i = boot_address;
        model_->rst_ni = 1;
        settle({}, ignored);
        model_->rst_ni = 0;
        for (int clock = 0; clock < 2; ++clock) {
            settle({}, ignored);
            rise();
        }
        settle({}, ignored);
        model_->rst_ni = 1;
        settle({}, ignored);
        rise();
    }

    void settle(const IbexInputs& inputs, IbexOutputs& outputs) override {
        Vibex& pins = *model_;
        pins.clk_i = 0;
        pins.instr_rvalid_i = inputs.fetch_valid;
        pins.instr_err_i = inputs.fetch_error;
        pins.instr_rdata_i = inputs.fetch_data;
        pins.data_rvalid_i = inputs.data_valid;
        pins.data_err_i = inputs.data_error;
        pins.data_rdata_i = inputs.data_in;
        pins.irq_software_i = (inputs.interrupts >> 3) & 1;
        pins.irq_timer_i = (inputs.interrupts >> 7) & 1;
        pins.irq_external_i = (inputs.interrupts >> 11) & 1;
        pins.irq_fast_i = (inputs.interrupts >> 16) & 0x7FFF;
        pins.eval();
        outputs.fetch_request = pins.instr_req_o != 0;
        outputs.fetch_address = pins.instr_addr_o;
        outputs.data_request = pins.data_req_o != 0;
        outputs.data_write = pins.data_we_o != 0;
        outputs.data_bytes = pins.data_be_o;
        outputs.data_address = pins.data_addr_o;
        outputs.data_out = pins.data_wdata_o;
        outputs.asleep = pins.core_sleep_o != 0;
        outputs.interrupt_jump = pins.irq_jump_o != 0;
        outputs.retired = pins.rvfi_valid != 0;
        if (outputs.retired) {
            take_rvfi(outputs);
        }
    }

    void rise() override {
        model_->clk_i = 1;
        model_->eval();
    }

  private:
    void take_rvfi(IbexOutputs& outputs) const {
        const Vibex& pins = *model_;
        outputs.trap = pins.rvfi_trap != 0;
        outputs.handler_entry = pins.rvfi_intr != 0;
        outputs.rd = pins.rvfi_rd_addr;
        outputs.instruction = pins.rvfi_insn;
        outputs.rd_value = pins.rvfi_rd_wdata;
        outputs.pc = pins.rvfi_pc_rdata;
        outputs.next_pc = pins.rvfi_pc_wdata;
        outputs.memory_address = pins.rvfi_mem_addr;
        outputs.mip_before = pins.rvfi_ext_pre_mip;
        outputs.mip_after = pins.rvfi_ext_post_mip;
        outputs.mcycle = pins.rvfi_ext_mcycle;
        outputs.order = pins.rvfi_order;
    }

    VerilatedContext context_;
    std::unique_ptr<Vibex> model_;
};

} // namespace

std::unique_ptr<IbexModelIf> make_ibex_model(std::uint64_t seed) {
    return std::make_unique<IbexModel>(seed);
}

} // namespace cavern
