// What a grant costs in processor time: eight slots that ask for the bus again as soon as they have
// had it, so it is always busy. Prints a JSON object.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <systemc>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "cosim/lockstep_arbiter.h"
#include "cosim/rtl_arbiter.h"
#include "timed/channel/clocked_arbiter.h"
#include "timed/channel/tlm_arbiter.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

constexpr std::uint32_t kSlots = 8;
constexpr std::uint32_t kAgeLimit = 1000;
constexpr TimePs kPeriod = 5 * kNs;
constexpr TimePs kHold =
    1003 * kNs; // 200.6 clocks: an ungated clock has 200 edges to spend on a grant

class BusyBus final : public sc_core::sc_module, public GrantListenerIf {
  public:
    BusyBus(const sc_core::sc_module_name& name, std::uint64_t grants)
        : sc_module(name), grants_(grants) {
        SC_HAS_PROCESS(BusyBus);
        SC_METHOD(finish);
        sensitive << done_;
        dont_initialize();
    }

    void start(ChannelArbiterIf& arbiter) {
        arbiter_ = &arbiter;
        for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
            ask(slot);
        }
    }

    void granted(std::uint32_t slot) override {
        holder_ = slot;
        done_.notify(to_sc_time(kHold));
    }

  private:
    void finish() {
        if (--grants_ == 0) {
            sc_core::sc_stop();
            return;
        }
        arbiter_->release(holder_);
        ask(holder_);
    }
    void ask(std::uint32_t slot) { arbiter_->request(slot, static_cast<BusClass>(slot % 3)); }

    ChannelArbiterIf* arbiter_ = nullptr;
    std::uint64_t grants_;
    std::uint32_t holder_ = 0;
    sc_core::sc_event done_{"done"};
};

std::unique_ptr<ClockedArbiterIf> make_model(const std::string& form, ArbiterPolicy policy) {
    auto twin = std::make_unique<ReferenceArbiter>(kSlots, policy, kAgeLimit);
    if (form == "twin-gated") {
        return twin;
    }
    auto rtl = make_rtl_arbiter(kSlots, policy, kAgeLimit, 1, kPeriod, form);
    if (form == "lockstep-gated") {
        return std::make_unique<LockstepArbiter>(std::move(rtl), std::move(twin), form);
    }
    return rtl;
}

/// One form and policy a process: SystemC elaborates once.
int run(const std::string& form, const ArbiterPolicyRow& row, std::uint64_t grants) {
    BusyBus bus("bus", grants);
    std::unique_ptr<TlmArbiter> tlm;
    std::unique_ptr<ClockedArbiter> clocked;
    if (form == "tlm") {
        tlm = std::make_unique<TlmArbiter>("tlm", kSlots, row.policy, kAgeLimit, kPeriod, bus);
        bus.start(*tlm);
    } else {
        clocked = std::make_unique<ClockedArbiter>("clocked", make_model(form, row.policy), kSlots,
                                                   kPeriod, form != "rtl-ungated", bus);
        bus.start(*clocked);
    }
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    const std::clock_t begin = std::clock();
    sc_core::sc_start();
    const double ns = 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("{\"ns_per_grant\": %.1f, \"edges\": %llu, \"cycles\": %llu}\n",
                ns / static_cast<double>(grants),
                clocked ? static_cast<unsigned long long>(clocked->edges()) : 0ULL,
                static_cast<unsigned long long>(now_ps() / kPeriod));
    return 0;
}

} // namespace
} // namespace cavern

int sc_main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr,
                     "usage: %s tlm|twin-gated|rtl-gated|lockstep-gated|rtl-ungated "
                     "POLICY GRANTS\n",
                     argv[0]);
        return 2;
    }
    for (const cavern::ArbiterPolicyRow& row : cavern::kArbiterPolicies) {
        if (row.name == argv[2]) {
            return cavern::run(argv[1], row, std::strtoull(argv[3], nullptr, 10));
        }
    }
    std::fprintf(stderr, "error: no policy %s; see ./cavern config explain channel.policy\n",
                 argv[2]);
    return 2;
}
