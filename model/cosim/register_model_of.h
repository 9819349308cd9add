#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <verilated.h>

#include "cosim/register_model.h"
#include "cosim/verilated_messages.h"

namespace cavern {

/// RegisterModelIf for one generated class. Included only where generated headers are.
template <typename Generated>
class RegisterModelOf final : public RegisterModelIf {
  public:
    explicit RegisterModelOf(std::uint64_t seed) {
        context_.fatalOnError(false); // or a failed assertion ends the process
        context_.threads(1);
        context_.randReset(2);                                      // 2: random
        context_.randSeed(static_cast<int>(1 + seed % 0x7FFFFFFF)); // 1..2^31-1 is what it accepts
        model_ = std::make_unique<Generated>(&context_, "");
        reset();
    }

    ~RegisterModelOf() override {
        Verilated::threadContextp(&context_); // the generated destructor asks for it
        model_->final();
    }

    void reset() override {
        Verilated::threadContextp(&context_);
        model_->clk_i = 0;
        model_->rst_ni = 1;
        settle({});
        model_->rst_ni = 0;
        model_->eval(); // asynchronous: assertions see no edge before it
        for (int half_clock = 0; half_clock < 4; ++half_clock) {
            model_->clk_i = static_cast<CData>((half_clock + 1) % 2);
            model_->eval();
        }
        model_->rst_ni = 1;
        model_->eval();
    }

    RegisterOutputs settle(const RegisterInputs& inputs) override {
        Verilated::threadContextp(&context_); // or an error is booked on the model made last
        present(inputs);
        model_->eval();
        return outputs();
    }

    bool clock() override {
        model_->clk_i = 1;
        model_->eval();
        model_->clk_i = 0;
        model_->eval();
        return !context_.gotError();
    }

    std::string take_messages() override { return take_verilated_messages(); }

  private:
    /// Ports are as narrow as the generator makes them.
    template <typename Port, typename Value>
    static void set(Port& port, Value value) {
        port = static_cast<Port>(value);
    }

    void present(const RegisterInputs& in) {
        set(model_->time_i, in.time);
        set(model_->req_i, in.req);
        set(model_->we_i, in.we);
        set(model_->be_i, in.be);
        set(model_->addr_i, in.addr);
        set(model_->wdata_i, in.wdata);
        set(model_->request_push_i, in.request_push);
        set(model_->request_opcode_i, in.request.opcode);
        set(model_->request_fua_i, in.request.fua);
        set(model_->request_tag_i, in.request.tag);
        set(model_->request_page_i, in.request.page);
        set(model_->request_pages_i, in.request.pages);
        set(model_->request_arrival_i, in.request.arrival);
        set(model_->operation_take_i, in.operation_take);
        set(model_->dma_take_i, in.dma_take);
        set(model_->dma_complete_i, in.dma_complete);
        set(model_->window_ack_i, in.window_ack);
        set(model_->window_outside_i, in.window.outside);
        set(model_->window_rdata_i, in.window.data);
        set(model_->busy_cycles_i, in.busy_cycles);
        set(model_->host_idle_i, in.host_idle);
        set(model_->flash_idle_i, in.flash_idle);
        set(model_->channels_i, in.geometry.channels);
        set(model_->ways_i, in.geometry.ways);
        set(model_->planes_i, in.geometry.planes);
        set(model_->blocks_i, in.geometry.blocks);
        set(model_->pages_i, in.geometry.pages);
        set(model_->page_bytes_i, in.geometry.page_bytes);
        set(model_->logical_pages_i, in.geometry.logical_pages);
        set(model_->frames_i, in.geometry.frames);
        set(model_->clock_khz_i, in.geometry.clock_khz);
    }

    [[nodiscard]] RegisterOutputs outputs() const {
        RegisterOutputs out;
        out.gnt = model_->gnt_o != 0;
        out.rvalid = model_->rvalid_o != 0;
        out.rdata = model_->rdata_o;
        out.err = model_->err_o != 0;
        out.irq = model_->irq_o != 0;
        out.irq_armed = model_->irq_armed_o != 0;
        out.irq_due = model_->irq_due_o;
        out.ready = model_->ready_o != 0;
        out.request_full = model_->request_full_o != 0;
        out.operation_valid = model_->operation_valid_o != 0;
        out.operation.kind = static_cast<cpu::regs::Operation>(model_->operation_kind_o);
        out.operation.origin = static_cast<cpu::regs::Origin>(model_->operation_origin_o);
        out.operation.last = model_->operation_last_o != 0;
        out.operation.tag = model_->operation_tag_o;
        out.operation.result = model_->operation_result_o;
        out.operation.logical_page = model_->operation_logical_page_o;
        out.operation.source = model_->operation_source_o;
        out.operation.destination = model_->operation_destination_o;
        out.operation.frame = model_->operation_frame_o;
        out.operation.waits = model_->operation_waits_o != 0;
        out.operation.after = model_->operation_after_o;
        out.operation.copies = model_->operation_copies_o != 0;
        out.operation.supersedes = model_->operation_supersedes_o;
        out.operation.units = model_->operation_units_o;
        out.operation.hit = model_->operation_hit_o != 0;
        out.operation.done = model_->operation_done_o != 0;
        out.dma_valid = model_->dma_valid_o != 0;
        out.dma.to_flash = model_->dma_to_flash_o != 0;
        out.dma.tag = model_->dma_tag_o;
        out.dma.frame = model_->dma_frame_o;
        out.dma.page = model_->dma_page_o;
        out.dma.first = model_->dma_first_o;
        out.dma.sectors = model_->dma_sectors_o;
        out.window_req = model_->window_req_o != 0;
        out.window_write = model_->window_write_o != 0;
        out.window_space = static_cast<cpu::regs::Space>(model_->window_space_o);
        out.window_word = model_->window_word_o;
        out.window_be = model_->window_be_o;
        out.window_wdata = model_->window_wdata_o;
        return out;
    }

    VerilatedContext context_;
    std::unique_ptr<Generated> model_;
};

} // namespace cavern
