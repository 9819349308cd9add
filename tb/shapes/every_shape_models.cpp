// The generated classes of every_arbiter.sv and every_allocator.sv, those that the build has made.
#include "tb/shapes/every_shape.h"

#include <type_traits>
#include <verilated.h>
#include <verilated_fst_c.h>

#include "cosim/verilated_messages.h"

#if __has_include("Vevery_arbiter_0.h")
#include "Vevery_arbiter_0.h"
#define CAVERN_EVERY_ARBITER_0
#endif
#if __has_include("Vevery_arbiter_1.h")
#include "Vevery_arbiter_1.h"
#define CAVERN_EVERY_ARBITER_1
#endif
#if __has_include("Vevery_arbiter_2.h")
#include "Vevery_arbiter_2.h"
#define CAVERN_EVERY_ARBITER_2
#endif
#if __has_include("Vevery_allocator.h")
#include "Vevery_allocator.h"
#define CAVERN_EVERY_ALLOCATOR
#endif

namespace cavern {
namespace {

/// Clock, reset and waves of a generated class.
template <typename Generated, typename Interface>
class Clocked : public Interface {
  public:
    explicit Clocked(std::uint64_t seed) {
        context_.fatalOnError(false); // or a failed property ends the process
        context_.threads(1);
        context_.traceEverOn(true);
        context_.randReset(2); // random
        context_.randSeed(static_cast<int>(1 + seed % 0x7FFFFFFF));
        model_ = std::make_unique<Generated>(&context_, "");
        model_->clk_i = 0;
        model_->rst_ni = 1;
    }
    Clocked(const Clocked&) = delete;
    Clocked& operator=(const Clocked&) = delete;
    ~Clocked() override {
        Verilated::threadContextp(&context_); // the generated destructor asks for it
        model_->final();
        if (waves_ != nullptr) {
            waves_->close();
        }
    }

    bool reset(std::uint32_t half_clocks) override {
        Verilated::threadContextp(&context_);
        model_->eval();
        model_->rst_ni = 0;
        half_step();
        for (std::uint32_t n = 0; n < half_clocks; ++n) {
            model_->clk_i = model_->clk_i == 0 ? 1 : 0;
            half_step();
        }
        model_->clk_i = 0;
        model_->eval();
        model_->rst_ni = 1;
        half_step();
        return !context_.gotError();
    }
    std::string take_messages() override { return take_verilated_messages(); }
    void open_waves(const std::string& path) override {
        waves_ = std::make_unique<VerilatedFstC>();
        model_->trace(waves_.get(), 99);
        waves_->open(path.c_str());
    }

  protected:
    [[nodiscard]] Generated& pins() const { return *model_; }
    bool clock() {
        Verilated::threadContextp(&context_);
        model_->clk_i = 1;
        half_step();
        model_->clk_i = 0;
        half_step();
        return !context_.gotError();
    }
    template <typename Port>
    static void set(Port& port, std::uint32_t value) {
        port = static_cast<Port>(value);
    }

  private:
    void half_step() {
        model_->eval();
        if (waves_ != nullptr) {
            waves_->dump(time_);
        }
        time_ += 5;
    }

    VerilatedContext context_;
    std::unique_ptr<Generated> model_;
    std::unique_ptr<VerilatedFstC> waves_;
    std::uint64_t time_ = 0;
};

template <typename Generated>
class EveryArbiter final : public Clocked<Generated, EveryArbiterIf> {
  public:
    using Clocked<Generated, EveryArbiterIf>::Clocked;
    using typename EveryArbiterIf::Inputs;
    using typename EveryArbiterIf::Outputs;

    [[nodiscard]] std::array<std::uint32_t, 3> weights(std::size_t shape) const override {
        this->pins().eval(); // these are constants, but the first evaluation sets them
        const std::uint32_t packed = this->pins().weights_o[shape];
        return {packed & 15u, (packed >> 4) & 15u, (packed >> 8) & 15u};
    }
    void set_age_limit(std::size_t shape, std::uint32_t cycles) override {
        this->pins().age_limit_i[shape] = cycles;
    }
    bool step(const Inputs& inputs) override {
        Generated& pins = this->pins();
        for (std::size_t n = 0; n < inputs.size(); ++n) {
            this->set(pins.req_i[n], inputs[n].request);
            this->set(pins.class_i[n], inputs[n].classes);
            this->set(pins.release_i[n], inputs[n].release ? 1u : 0u);
            this->set(pins.time_i[n], inputs[n].time);
        }
        return this->clock();
    }
    [[nodiscard]] Outputs outputs() const override {
        const Generated& pins = this->pins();
        Outputs outputs;
        for (std::size_t n = 0; n < outputs.size(); ++n) {
            outputs[n] = {pins.valid_o[n] != 0, pins.grant_o[n], pins.index_o[n]};
        }
        return outputs;
    }
};

template <typename Generated>
class EveryAllocator final : public Clocked<Generated, EveryAllocatorIf> {
  public:
    using Clocked<Generated, EveryAllocatorIf>::Clocked;
    using typename EveryAllocatorIf::Inputs;
    using typename EveryAllocatorIf::Outputs;

    [[nodiscard]] AllocatorShape shape(std::size_t shape) const override {
        Generated& pins = this->pins();
        pins.eval();
        return {pins.channels_o[shape], pins.ways_o[shape], pins.most_o[shape]};
    }
    bool step(const Inputs& inputs) override {
        Generated& pins = this->pins();
        for (std::size_t n = 0; n < inputs.size(); ++n) {
            this->set(pins.start_i[n], inputs[n].start ? 1u : 0u);
            this->set(pins.victims_i[n], inputs[n].victims);
            this->set(pins.busy_i[n], inputs[n].busy);
        }
        return this->clock();
    }
    [[nodiscard]] Outputs outputs() const override {
        const Generated& pins = this->pins();
        Outputs outputs;
        for (std::size_t n = 0; n < outputs.size(); ++n) {
            outputs[n] = {pins.ready_o[n] != 0, pins.valid_o[n] != 0, pins.channel_o[n],
                          pins.way_o[n], pins.last_o[n] != 0};
        }
        return outputs;
    }
};

} // namespace

std::unique_ptr<EveryArbiterIf> make_every_arbiter([[maybe_unused]] ArbiterPolicy policy,
                                                   [[maybe_unused]] std::uint64_t seed) {
#ifdef CAVERN_EVERY_ARBITER_0
    if (policy == ArbiterPolicy::kRoundRobin) {
        return std::make_unique<EveryArbiter<Vevery_arbiter_0>>(seed);
    }
#endif
#ifdef CAVERN_EVERY_ARBITER_1
    if (policy == ArbiterPolicy::kPriorityAge) {
        return std::make_unique<EveryArbiter<Vevery_arbiter_1>>(seed);
    }
#endif
#ifdef CAVERN_EVERY_ARBITER_2
    if (policy == ArbiterPolicy::kWeightedRoundRobin) {
        return std::make_unique<EveryArbiter<Vevery_arbiter_2>>(seed);
    }
#endif
    return nullptr;
}

std::unique_ptr<EveryAllocatorIf> make_every_allocator([[maybe_unused]] std::uint64_t seed) {
#ifdef CAVERN_EVERY_ALLOCATOR
    return std::make_unique<EveryAllocator<Vevery_allocator>>(seed);
#else
    return nullptr;
#endif
}

} // namespace cavern
