#include "tests/core/buffer/policy_drill.h"

#include "core/base/error.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

/// The trigger of a drill; `steered` points to it where it is the drill's own.
std::unique_ptr<EvictionTriggerIf> trigger_of(std::unique_ptr<EvictionTriggerIf> given,
                                              SteeredTrigger*& steered) {
    if (given != nullptr) {
        return given;
    }
    auto own = std::make_unique<SteeredTrigger>();
    steered = own.get();
    return own;
}

} // namespace

PolicyDrill::PolicyDrill(std::unique_ptr<EvictionPolicyIf> policy, NaivePolicy* naive,
                         DrillOptions options, std::unique_ptr<EvictionTriggerIf> trigger)
    : options_(std::move(options)), pads_blocks_(policy->pads_blocks()),
      buffer_(options_.capacity, geometry_of(1, 1, 1, 64, options_.pages_per_block),
              std::move(policy), trigger_of(std::move(trigger), steered_), options_.read_touch,
              options_.logged ? &log_ : nullptr, options_.cache_reads, ~std::uint64_t{0},
              options_.flush_keep),
      oracle_(buffer_,
              {options_.pages_per_block, footprint(), options_.read_touch, options_.cache_reads,
               pads_blocks_, options_.flush_keep},
              naive, options_.logged ? &log_ : nullptr),
      random_(options_.seed) {
    oracle_.set_batch(options_.batch);
}

std::string PolicyDrill::first_difference() {
    try {
        for (int step = 0; step < options_.steps; ++step) {
            if (options_.world) {
                options_.world(random_);
            }
            advance();
            if (!oracle_.fault().empty()) {
                return oracle_.fault() + " at step " + std::to_string(step);
            }
        }
        oracle_.finish();
    } catch (const ModelError& error) {
        return error.what();
    }
    return oracle_.fault();
}

void PolicyDrill::choose_batch() {
    if (steered_ != nullptr) {
        steered_->units = options_.whole_batches
                              ? options_.batch
                              : 1 + static_cast<std::uint32_t>(random_.below(options_.batch));
        oracle_.set_batch(steered_->units);
    }
}

void PolicyDrill::advance() {
    const std::uint64_t what = random_.below(1000);
    if (what < 70 && options_.pins) {
        const std::uint64_t lpn = random_.below(footprint());
        if (oracle_.pins() < options_.capacity) {
            oracle_.pin(lpn);
        }
    } else if (what < 120 && options_.pins) {
        if (oracle_.pins() != 0) {
            oracle_.unpin(random_.below(oracle_.pins()));
        }
    } else if (what < 150) {
        oracle_.trim(random_.below(footprint()));
    } else if (what < 155 && (options_.cache_reads || options_.flush_keep)) {
        choose_batch();
        oracle_.flush();
    } else if (what < 170) {
        choose_batch();
        oracle_.evict();
    } else {
        // A run of ascending pages now and then; a third of the pages gets half of the accesses.
        if (random_.below(3) != 0) {
            lpn_ = random_.below(random_.below(2) != 0 ? footprint() / 3 : footprint());
        } else {
            lpn_ = (lpn_ + 1) % footprint();
        }
        choose_batch();
        oracle_.access(lpn_, random_.below(10) < (options_.cache_reads ? 5 : 8));
    }
}

std::vector<DrillOptions> drills_of_a_million_steps(bool cache_reads) {
    std::vector<DrillOptions> drills(6);
    drills[0].capacity = 1;
    drills[0].steps = 50'000;
    drills[1].capacity = 5;
    drills[1].pins = true;
    drills[2].capacity = 37;
    drills[3].capacity = 60;
    drills[3].batch = 5;
    drills[4].capacity = 40;
    drills[4].batch = 3;
    drills[4].pins = true;
    drills[4].pages_per_block = 8;
    drills[5].capacity = 300;
    drills[5].steps = 50'000;
    drills[5].pages_per_block = 150;
    std::uint64_t seed = 1;
    for (DrillOptions& options : drills) {
        options.cache_reads = cache_reads;
        options.logged = seed != 3;
        options.flush_keep = seed % 2 == 0;
        options.seed = seed++;
    }
    return drills;
}

std::string finding_of(PolicyDrill& drill, const DrillOptions& options) {
    const std::string difference = drill.first_difference();
    if (!difference.empty()) {
        return difference;
    }
    if (drill.victims() < static_cast<std::uint64_t>(options.steps) / 100) {
        return "too little is evicted to show anything";
    }
    if (options.capacity == 5 && drill.pinned_victims() == 0) {
        return "not every unit is ever pinned";
    }
    return {};
}

} // namespace cavern::testing
