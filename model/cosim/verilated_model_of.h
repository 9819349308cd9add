#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <verilated.h>
#include <verilated_fst_c.h>

#include "core/base/error.h"
#include "cosim/verilated_messages.h"
#include "cosim/verilated_model.h"

namespace cavern {

/// VerilatedModelIf for one generated class. Included only where generated headers are.
template <typename Generated>
class VerilatedModelOf final : public VerilatedModelIf {
  public:
    VerilatedModelOf(std::uint32_t age_limit, std::uint64_t seed) {
        context_.fatalOnError(false); // or a failed property ends the process
        context_.threads(1);
        context_.traceEverOn(true); // must be said before the model exists
        context_.randReset(2);      // 2: random
        context_.randSeed(static_cast<int>(1 + seed % 0x7FFFFFFF)); // 1..2^31-1 is what it accepts
        model_ = std::make_unique<Generated>(&context_, "");
        model_->age_limit_i = age_limit;
        reset();
    }

    ~VerilatedModelOf() override {
        Verilated::threadContextp(&context_); // the generated destructor asks for it
        model_->final();
        if (waves_ != nullptr) {
            waves_->close();
        }
    }

    void present(const ArbiterInputs& inputs) override {
        set(model_->req_i, inputs.request);
        set(model_->class_i, inputs.classes);
        set(model_->release_i, inputs.release ? 1u : 0u);
        set(model_->time_i, inputs.time);
        model_->eval();
    }

    bool rise(const ArbiterInputs& inputs, ArbiterOutputs& outputs) override {
        Verilated::threadContextp(&context_); // or an error is booked on the model made last
        model_->clk_i = 1;
        present(inputs);
        outputs.valid = model_->valid_o != 0;
        outputs.grant = model_->grant_o;
        outputs.index = model_->index_o;
        return !context_.gotError();
    }

    void fall() override {
        model_->clk_i = 0;
        model_->eval();
    }

    std::string take_messages() override { return take_verilated_messages(); }

    void open_waves(const std::string& path) override {
        waves_ = std::make_unique<VerilatedFstC>();
        model_->trace(waves_.get(), 99);
        waves_->open(path.c_str());
    }

    void dump(std::uint64_t time) override { waves_->dump(time); }

  private:
    /// Ports are as narrow as the generator makes them; the caller has masked the value.
    template <typename Port>
    static void set(Port& port, std::uint32_t value) {
        port = static_cast<Port>(value);
    }

    /// Two clocks in reset: the asynchronous reset is seen as a falling edge of rst_ni.
    void reset() {
        model_->clk_i = 0;
        model_->rst_ni = 1;
        present({});
        model_->rst_ni = 0;
        for (int half_clock = 0; half_clock < 4; ++half_clock) {
            model_->clk_i = static_cast<CData>((half_clock + 1) % 2);
            model_->eval();
        }
        model_->rst_ni = 1;
        model_->eval();
    }

    VerilatedContext context_;
    std::unique_ptr<Generated> model_;
    std::unique_ptr<VerilatedFstC> waves_;
};

/// A row of a library's table of models, smallest first.
struct VerilatedModelRow {
    std::uint32_t ways;
    ArbiterPolicy policy;
    std::unique_ptr<VerilatedModelIf> (*make)(std::uint32_t age_limit, std::uint64_t seed);
};

template <typename Generated>
std::unique_ptr<VerilatedModelIf> make_model_of(std::uint32_t age_limit, std::uint64_t seed) {
    return std::make_unique<VerilatedModelOf<Generated>>(age_limit, seed);
}

template <std::size_t kRows>
std::unique_ptr<VerilatedModelIf> make_from_table(const VerilatedModelRow (&table)[kRows],
                                                  std::uint32_t slots, ArbiterPolicy policy,
                                                  std::uint32_t age_limit, std::uint64_t seed) {
    for (const VerilatedModelRow& row : table) {
        if (row.ways >= slots && row.policy == policy) {
            return row.make(age_limit, seed);
        }
    }
    throw ModelError("this program has no RTL arbiter of " + std::to_string(slots) + " ways");
}

} // namespace cavern
