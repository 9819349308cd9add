#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/arbiter/arbiter_rules.h"
#include "core/arbiter/clocked_arbiter_if.h"

namespace cavern {

/// A Verilated rtl/channel_arbiter_checked.sv with some number of ways. It hides the generated
/// class: a Verilated header and <systemc> do not compile in one unit.
class VerilatedModelIf {
  public:
    virtual ~VerilatedModelIf() = default;
    /// Sets the pins and evaluates with the clock as it stands: for waves, which want to see inputs
    /// change away from the edge.
    virtual void present(const ArbiterInputs& inputs) = 0;
    /// Rising edge. False when one of its properties has failed.
    virtual bool rise(const ArbiterInputs& inputs, ArbiterOutputs& outputs) = 0;
    virtual void fall() = 0;
    /// Text of the simulator since the last call: the failed property.
    virtual std::string take_messages() = 0;

    /// The file can be written: the caller has tried.
    virtual void open_waves(const std::string& path) = 0;
    /// Records the pins at `time` (ps), never earlier than the time before.
    virtual void dump(std::uint64_t time) = 0;
};

/// The smallest model in this program with at least `slots` ways (unused request lines stay low),
/// out of reset. `age_limit` in cycles; `seed` decides what registers hold before reset. Throws
/// ModelError when there is none. Defined by the library cavern_rtl_models, and with a line of the
/// RTL broken by each cavern_rtl_models_broken_<variant>; a program links one of them.
std::unique_ptr<VerilatedModelIf> make_verilated_model(std::uint32_t slots, ArbiterPolicy policy,
                                                       std::uint32_t age_limit, std::uint64_t seed);

} // namespace cavern
