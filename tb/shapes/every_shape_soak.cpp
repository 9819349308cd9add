// Every shape of an arbiter, or of the channel allocator, in lockstep with its C++ twin, for a
// short time: lives of random length that end with a reset in the middle of work. Age limits,
// requesters, the start of time and the resets are drawn anew for each life. One line for a run
// that finds nothing; a difference, a property that fails or a coverage point that was missed is an
// error.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/arbiter/reference_arbiter.h"
#include "core/arbiter/weighted_rule.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "tb/allocator_stream.h"
#include "tb/reference_allocator.h"
#include "tb/request_stream.h"
#include "tb/shapes/coverage.h"
#include "tb/shapes/every_shape.h"

namespace cavern {
namespace {

constexpr std::uint64_t kNeverWaves = ~std::uint64_t{0};
constexpr std::uint64_t kWavesBefore = 200; ///< edges in the file before the one that failed
constexpr std::uint64_t kHitsRequired = 5;  ///< of each point by each shape

/// Something is wrong at an edge of the run.
class Fault : public ModelError {
  public:
    Fault(std::uint64_t edge, const std::string& text) : ModelError(text), edge_(edge) {}
    [[nodiscard]] std::uint64_t edge() const { return edge_; }

  private:
    std::uint64_t edge_;
};

struct Plan {
    std::uint64_t seed = 1;
    std::uint64_t edges = 1;
    std::uint64_t waves_from = kNeverWaves;
    std::string waves;
};

std::ostream& operator<<(std::ostream& out, const ArbiterInputs& inputs) {
    return out << "request=0x" << std::hex << inputs.request << " class=0x" << inputs.classes
               << std::dec << " release=" << inputs.release << " time=" << inputs.time;
}
std::ostream& operator<<(std::ostream& out, const ArbiterOutputs& outputs) {
    return out << "valid=" << outputs.valid << " grant=0x" << std::hex << outputs.grant << std::dec
               << " index=" << outputs.index;
}
std::ostream& operator<<(std::ostream& out, const AllocatorInputs& inputs) {
    return out << "start=" << inputs.start << " victims=" << inputs.victims << " busy=0x"
               << std::hex << inputs.busy << std::dec;
}
std::ostream& operator<<(std::ostream& out, const AllocatorOutputs& outputs) {
    return out << "valid=" << outputs.valid << " channel=" << outputs.channel
               << " way=" << outputs.way << " last=" << outputs.last << " ready=" << outputs.ready;
}

/// Bit by bit, also where a value says nothing.
bool same(const ArbiterOutputs& a, const ArbiterOutputs& b) {
    return a.valid == b.valid && a.grant == b.grant && a.index == b.index;
}
bool same(const AllocatorOutputs& a, const AllocatorOutputs& b) {
    return a == b;
}

/// One arbiter of the many: twin, requesters, coverage.
class ArbiterShape {
  public:
    using Inputs = ArbiterInputs;
    using Outputs = ArbiterOutputs;

    ArbiterShape(const EveryArbiterIf& model, std::size_t index, ArbiterPolicy policy)
        : ways_(static_cast<std::uint32_t>(index) + 1), policy_(policy),
          weights_(model.weights(index)), coverage_(ways_, policy) {}

    void begin(EveryArbiterIf& model, Random& random) {
        const auto below = [&](std::uint32_t bound) {
            return static_cast<std::uint32_t>(random.below(bound));
        };
        age_limit_ = below(4) == 0 ? below(3) : below(below(2) == 0 ? 16 : 200);
        model.set_age_limit(ways_ - 1, age_limit_);
        std::unique_ptr<GrantRuleIf> rule = policy_ == ArbiterPolicy::kWeightedRoundRobin
                                                ? std::make_unique<WeightedRule>(ways_, weights_)
                                                : make_grant_rule(policy_, ways_);
        twin_.emplace(ways_, policy_, age_limit_, std::move(rule));
        const RequestShapeRow& row = kRequestShapes[below(kRequestShapes.size())];
        stream_.emplace(row.shape, ways_, random.next(),
                        below(4) == 0 ? below(~0u) : 0u - below(below(2) == 0 ? 30 : 500));
        coverage_.begin(age_limit_);
        expected_ = {};
    }
    const Inputs& next() {
        inputs_ = stream_->next(expected_);
        const Outputs before = std::exchange(expected_, twin_->step(inputs_));
        coverage_.edge(inputs_, before, expected_);
        return inputs_;
    }
    void reset() { coverage_.reset(); }
    [[nodiscard]] const Inputs& inputs() const { return inputs_; }
    [[nodiscard]] const Outputs& expected() const { return expected_; }
    [[nodiscard]] const std::vector<CoverPoint>& points() const { return coverage_.points(); }
    [[nodiscard]] std::string name() const {
        std::string text = std::to_string(ways_) + " ways";
        if (policy_ == ArbiterPolicy::kPriorityAge) {
            text += ", age limit " + std::to_string(age_limit_);
        } else if (policy_ == ArbiterPolicy::kWeightedRoundRobin) {
            text += ", weights " + std::to_string(weights_[0]) + " " + std::to_string(weights_[1]) +
                    " " + std::to_string(weights_[2]);
        }
        return text;
    }
    [[nodiscard]] const std::array<std::uint32_t, 3>& weights() const { return weights_; }

  private:
    std::uint32_t ways_;
    ArbiterPolicy policy_;
    std::array<std::uint32_t, 3> weights_;
    std::uint32_t age_limit_ = 0;
    std::optional<ReferenceArbiter> twin_;
    std::optional<RequestStream> stream_;
    ArbiterCoverage coverage_;
    ArbiterInputs inputs_;
    ArbiterOutputs expected_;
};

class AllocatorOfShape {
  public:
    using Inputs = AllocatorInputs;
    using Outputs = AllocatorOutputs;

    AllocatorOfShape(const EveryAllocatorIf& model, std::size_t index)
        : shape_(model.shape(index)), coverage_(shape_) {}

    void begin(EveryAllocatorIf&, Random& random) {
        twin_.emplace(shape_);
        stream_.emplace(shape_, random.next());
        coverage_.begin();
        expected_ = {};
    }
    const Inputs& next() {
        inputs_ = stream_->next();
        const Outputs before = std::exchange(expected_, twin_->step(inputs_));
        coverage_.edge(inputs_, before, expected_);
        return inputs_;
    }
    void reset() { coverage_.reset(); }
    [[nodiscard]] const Inputs& inputs() const { return inputs_; }
    [[nodiscard]] const Outputs& expected() const { return expected_; }
    [[nodiscard]] const std::vector<CoverPoint>& points() const { return coverage_.points(); }
    [[nodiscard]] std::string name() const {
        return std::to_string(shape_.channels) + " channels of " + std::to_string(shape_.ways) +
               " ways, " + std::to_string(shape_.victims) + " victims";
    }

  private:
    AllocatorShape shape_;
    std::optional<ReferenceAllocator> twin_;
    std::optional<AllocatorStream> stream_;
    AllocatorCoverage coverage_;
    AllocatorInputs inputs_;
    AllocatorOutputs expected_;
};

template <typename Model, typename Shape>
void compare(const Model& model, const std::vector<Shape>& shapes, std::uint64_t edge,
             const char* when) {
    const typename Model::Outputs outputs = model.outputs();
    for (std::size_t n = 0; n < shapes.size(); ++n) {
        if (!same(outputs[n], shapes[n].expected())) {
            std::ostringstream text;
            text << shapes[n].name() << ": RTL and twin differ " << when << " at edge " << edge
                 << ": " << shapes[n].inputs() << "; RTL " << outputs[n] << "; twin "
                 << shapes[n].expected();
            throw Fault(edge, text.str());
        }
    }
}

/// `make_shapes(model)` gives the twins beside the model.
template <typename Model, typename Shape>
void soak(Model& model, std::vector<Shape>& shapes, const Plan& plan, std::uint64_t& resets) {
    Random random(plan.seed);
    const auto sound = [&](bool passed, std::uint64_t edge) {
        if (!passed) {
            throw Fault(edge, "a property failed at edge " + std::to_string(edge) + ": " +
                                  model.take_messages());
        }
    };
    bool waves = false;
    std::uint64_t life = 0; // edges left of it
    typename Model::Inputs inputs{};
    for (std::uint64_t edge = 0; edge < plan.edges; ++edge) {
        if (!waves && edge >= plan.waves_from) {
            waves = true;
            model.open_waves(plan.waves);
        }
        if (life == 0) {
            for (Shape& shape : shapes) {
                if (edge != 0) {
                    shape.reset();
                }
                shape.begin(model, random);
            }
            ++resets;
            sound(model.reset(static_cast<std::uint32_t>(random.below(6))), edge);
            compare(model, shapes, edge, "after reset");
            life = 1 + random.below(random.below(2) == 0 ? 40 : 1500);
        }
        --life;
        for (std::size_t n = 0; n < shapes.size(); ++n) {
            inputs[n] = shapes[n].next();
        }
        sound(model.step(inputs), edge);
        compare(model, shapes, edge, "");
    }
}

/// Throws a text that lists what no shape may have missed, if one has.
template <typename Shape>
std::uint64_t require_coverage(const std::vector<Shape>& shapes) {
    std::uint64_t required = 0;
    std::string missed;
    for (const Shape& shape : shapes) {
        for (const CoverPoint& point : shape.points()) {
            required += point.possible ? 1 : 0;
            if (point.possible && point.hits < kHitsRequired) {
                missed += "\n  " + shape.name() + ": " + std::string(point.name) + " (" +
                          std::to_string(point.hits) + ")";
            }
        }
    }
    if (!missed.empty()) {
        throw ModelError("the run has reached some points less than " +
                         std::to_string(kHitsRequired) + " times:" + missed);
    }
    return required;
}

/// The weights that were drawn tell the classes apart and use all four bits.
void require_weights(const std::vector<ArbiterShape>& shapes) {
    for (std::size_t a = 0; a < 3; ++a) {
        const bool large = std::any_of(shapes.begin(), shapes.end(), [&](const auto& shape) {
            return shape.weights()[a] >= 8 && shape.weights()[a] != shape.weights()[(a + 1) % 3];
        });
        if (!large) {
            throw ModelError("no shape has a weight of more than three bits for class " +
                             std::to_string(a) + "; verilate with another Seed");
        }
    }
}

struct Reached {
    std::uint64_t resets = 0;
    std::uint64_t points = 0;
};

Reached run_arbiters(ArbiterPolicy policy, const Plan& plan) {
    Reached reached;
    const auto model = make_every_arbiter(policy, plan.seed);
    if (model == nullptr) {
        throw UserError("<command line>", 1, "this program is built without this arbiter",
                        "another POLICY");
    }
    std::vector<ArbiterShape> shapes;
    for (std::size_t n = 0; n < EveryArbiterIf::kShapes; ++n) {
        shapes.emplace_back(*model, n, policy);
    }
    if (policy == ArbiterPolicy::kWeightedRoundRobin) {
        require_weights(shapes);
    }
    soak(*model, shapes, plan, reached.resets);
    reached.points = require_coverage(shapes);
    return reached;
}

Reached run_allocators(const Plan& plan) {
    Reached reached;
    const auto model = make_every_allocator(plan.seed);
    if (model == nullptr) {
        throw UserError("<command line>", 1, "this program is built without the allocator",
                        "a POLICY of the arbiter");
    }
    std::vector<AllocatorOfShape> shapes;
    for (std::size_t n = 0; n < EveryAllocatorIf::kShapes; ++n) {
        shapes.emplace_back(*model, n);
    }
    soak(*model, shapes, plan, reached.resets);
    reached.points = require_coverage(shapes);
    return reached;
}

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value == 0) {
        throw UserError("<command line>", 1, "\"" + std::string(text) + "\" is no number",
                        "a whole number of at least 1");
    }
    return value;
}

int run(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s POLICY|allocator SEED EDGES\n", argv[0]);
        return 2;
    }
    const std::string what = argv[1];
    const auto policy = find_arbiter_policy(what);
    if (!policy && what != "allocator") {
        throw UserError("<command line>", 1, "no policy \"" + what + "\"",
                        "round-robin, priority-age, weighted-round-robin or allocator");
    }
    Plan plan{number(argv[2]), number(argv[3]), kNeverWaves, {}};
    const auto once = [&] { return policy ? run_arbiters(*policy, plan) : run_allocators(plan); };
    const std::string label = what + ", seed " + argv[2];
    try {
        const Reached reached = once();
        std::printf("%s: every shape for %llu edges, %llu resets, %llu coverage points reached\n",
                    label.c_str(), static_cast<unsigned long long>(plan.edges),
                    static_cast<unsigned long long>(reached.resets),
                    static_cast<unsigned long long>(reached.points));
        return 0;
    } catch (const Fault& fault) {
        std::fprintf(stderr, "error: %s: %s\n", label.c_str(), fault.what());
        // The run is the same again, up to the same edge, with its last edges in a file.
        plan.waves = "every-shape-" + what + "-" + argv[2] + ".fst";
        plan.waves_from = fault.edge() - std::min(fault.edge(), kWavesBefore);
        try {
            once();
        } catch (const Fault&) {
            std::fprintf(stderr, "the last edges are in %s\n", plan.waves.c_str());
        }
        return 1;
    }
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
