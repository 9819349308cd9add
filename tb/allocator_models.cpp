// The Verilated channel allocators. Whether a line of the RTL is broken (CMakeLists.txt), is
// decided by the folder the generated headers come from.
#include <type_traits>
#include <verilated.h>

#include "core/base/error.h"
#include "cosim/verilated_messages.h"
#include "tb/channel_allocator_if.h"
#include "Vallocator_16_16.h"
#include "Vallocator_1_1.h"
#include "Vallocator_3_5.h"
#include "Vallocator_8_4.h"

namespace cavern {
namespace {

template <typename Generated>
class RtlAllocator final : public ChannelAllocatorIf {
  public:
    RtlAllocator(std::uint64_t seed, std::string label) : label_(std::move(label)) {
        context_.fatalOnError(false); // or a failed property ends the process
        context_.threads(1);
        context_.randReset(2);
        context_.randSeed(static_cast<int>(1 + seed % 0x7FFFFFFF));
        model_ = std::make_unique<Generated>(&context_, "");
        // Two clocks in reset: it is seen as a falling edge of rst_ni.
        set({});
        model_->clk_i = 0;
        model_->rst_ni = 1;
        model_->eval();
        model_->rst_ni = 0;
        for (int half_clock = 0; half_clock < 4; ++half_clock) {
            model_->clk_i = static_cast<CData>((half_clock + 1) % 2);
            model_->eval();
        }
        model_->rst_ni = 1;
        model_->eval();
    }
    ~RtlAllocator() override {
        Verilated::threadContextp(&context_); // the generated destructor asks for it
        model_->final();
    }

    AllocatorOutputs step(const AllocatorInputs& inputs) override {
        Verilated::threadContextp(&context_);
        set(inputs);
        model_->clk_i = 1;
        model_->eval();
        const AllocatorOutputs outputs{model_->ready_o != 0, model_->valid_o != 0,
                                       model_->channel_o, model_->way_o, model_->last_o != 0};
        model_->clk_i = 0;
        model_->eval();
        if (context_.gotError()) {
            throw ModelError(label_ +
                             ": the RTL allocator broke a property: " + take_verilated_messages());
        }
        return outputs;
    }

  private:
    void set(const AllocatorInputs& inputs) {
        model_->start_i = inputs.start ? 1 : 0;
        model_->victims_i = static_cast<CData>(inputs.victims);
        model_->busy_i =
            static_cast<std::remove_reference_t<decltype(model_->busy_i)>>(inputs.busy);
    }

    VerilatedContext context_;
    std::unique_ptr<Generated> model_;
    std::string label_;
};

struct Row {
    std::uint32_t channels;
    std::uint32_t ways;
    std::unique_ptr<ChannelAllocatorIf> (*make)(std::uint64_t seed, const std::string& label);
};

template <typename Generated>
std::unique_ptr<ChannelAllocatorIf> make(std::uint64_t seed, const std::string& label) {
    return std::make_unique<RtlAllocator<Generated>>(seed, label);
}

constexpr Row kModels[] = {
    {1, 1, make<Vallocator_1_1>},
    {3, 5, make<Vallocator_3_5>},
    {8, 4, make<Vallocator_8_4>},
    {16, 16, make<Vallocator_16_16>},
};

} // namespace

std::unique_ptr<ChannelAllocatorIf>
make_rtl_allocator(const AllocatorShape& shape, std::uint64_t seed, const std::string& label) {
    for (const Row& row : kModels) {
        if (row.channels == shape.channels && row.ways == shape.ways && shape.victims <= 255) {
            return row.make(seed, label);
        }
    }
    throw ModelError("this program has no RTL allocator of " + std::to_string(shape.channels) +
                     " channels and " + std::to_string(shape.ways) + " ways");
}

} // namespace cavern
