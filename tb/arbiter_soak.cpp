// The RTL arbiter in lockstep with its twin over long streams, without a drive. One line per run.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "cosim/lockstep_arbiter.h"
#include "cosim/rtl_arbiter.h"
#include "tb/recorded_stream.h"
#include "tb/request_stream.h"

namespace cavern {
namespace {

constexpr TimePs kPeriod = 5 * kNs;
constexpr std::uint32_t kAgeLimit = 24;

LockstepArbiter make_lockstep(const StreamShape& shape, const std::string& label) {
    return {make_rtl_arbiter(shape.ways, shape.policy, shape.age_limit, 1, kPeriod, label),
            std::make_unique<ReferenceArbiter>(shape.ways, shape.policy, shape.age_limit), label};
}

class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value == 0) {
        throw UserError("<command line>", 1, "\"" + std::string(text) + "\" is no number",
                        "a whole number of at least 1");
    }
    return value;
}

/// Grants of all shapes together are at least `grants`, as many from each.
void soak(std::uint32_t slots, const ArbiterPolicyRow& policy, std::uint64_t grants) {
    for (const RequestShapeRow& row : kRequestShapes) {
        const std::string label = std::to_string(slots) + " slots, " + std::string(policy.name) +
                                  ", " + std::string(row.name);
        LockstepArbiter lockstep = make_lockstep({slots, policy.policy, kAgeLimit}, label);
        RequestStream stream(row.shape, slots, slots * 100 + static_cast<std::uint64_t>(row.shape));
        const Stopwatch watch;
        ArbiterOutputs outputs;
        while (lockstep.compared() * kRequestShapes.size() < grants) {
            outputs = lockstep.step(stream.next(outputs));
        }
        std::printf("%s: %llu grants in %llu edges, %llu mismatches, %.2f s\n", label.c_str(),
                    static_cast<unsigned long long>(lockstep.compared()),
                    static_cast<unsigned long long>(lockstep.steps()),
                    static_cast<unsigned long long>(lockstep.mismatches()), watch.seconds());
    }
}

/// Also compares with the outputs that were recorded.
void replay(const std::string& path) {
    StreamReader reader(path);
    LockstepArbiter lockstep = make_lockstep(reader.shape(), path);
    const Stopwatch watch;
    for (RecordedEdge edge; reader.next(edge);) {
        if (lockstep.step(edge.inputs) != edge.outputs) {
            throw ModelError(path + ": at cycle " + std::to_string(edge.inputs.time) +
                             " the recorded grant was another");
        }
    }
    std::printf("%s: %llu grants in %llu edges, %llu mismatches, %.2f s\n", path.c_str(),
                static_cast<unsigned long long>(lockstep.compared()),
                static_cast<unsigned long long>(lockstep.steps()),
                static_cast<unsigned long long>(lockstep.mismatches()), watch.seconds());
}

int run(int argc, char** argv) {
    const std::string_view command = argc > 1 ? argv[1] : "";
    if (command == "random" && argc == 5) {
        const auto policy = find_arbiter_policy(argv[3]);
        if (!policy) {
            throw UserError("<command line>", 1, "no policy \"" + std::string(argv[3]) + "\"",
                            "round-robin, priority-age or weighted-round-robin");
        }
        const std::uint64_t slots = number(argv[2]);
        if (slots > kMaxRequesters) {
            throw UserError("<command line>", 1, "too many slots", "1 to 16");
        }
        soak(static_cast<std::uint32_t>(slots), kArbiterPolicies[static_cast<std::size_t>(*policy)],
             number(argv[4]));
        return 0;
    }
    if (command == "replay" && argc > 2) {
        for (int n = 2; n < argc; ++n) {
            replay(argv[n]);
        }
        return 0;
    }
    std::fprintf(stderr, "usage: %s random SLOTS POLICY GRANTS | replay FILE...\n", argv[0]);
    return 2;
}

} // namespace
} // namespace cavern

int main(int argc, char** argv) {
    try {
        return cavern::run(argc, argv);
    } catch (const cavern::UserError& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
