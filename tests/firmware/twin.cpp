#include "tests/firmware/twin.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/ftl/page_ftl_why_not.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {

FirmwareParams firmware_params_of(const CoreParts& parts) {
    FirmwareParams params;
    params.geometry = parts.geometry;
    params.ftl = parts.ftl;
    params.policy = parts.policy;
    params.frames = parts.frames;
    params.eviction = {parts.eviction};
    params.cave_victims = parts.cave_victims;
    params.read_touch = parts.read_touch;
    params.cache_reads = parts.cache_reads;
    params.flush_keep = parts.flush_keep;
    params.keeps_sectors = parts.keeps_sectors;
    params.allocator = parts.allocator;
    params.mode = parts.rr_mode;
    return params;
}

Twin::Twin(const CoreParts& made_of)
    : parts(made_of), core(make_core(parts)),
      firmware(std::make_shared<FirmwareCore>(firmware_params_of(parts))) {
    auto listener = std::make_unique<DecisionLockstep>(firmware);
    lockstep = listener.get();
    core->listen(std::move(listener));
}

namespace {

std::uint32_t between(Random& random, std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random.below(most - least + 1));
}

CoreParts any_parts(Random& random) {
    constexpr std::array<const char*, 3> kPolicies = {"lru-page", "lru-block", "none"};
    constexpr std::array<const char*, 6> kAllocators = {
        "block-round-robin", "block-round-robin", "stripe-page", "cwdp", "pdwc", "wpcd"};
    constexpr std::array kModes = {RoundRobinMode::kSticky, RoundRobinMode::kFree,
                                   RoundRobinMode::kMove, RoundRobinMode::kGather};
    CoreParts parts;
    Geometry& g = parts.geometry;
    g.channels = between(random, 1, 4);
    g.ways = between(random, 1, 3);
    g.dies_per_way = between(random, 1, 2);
    g.planes_per_die = between(random, 1, 2);
    g.blocks_per_plane = between(random, 7, 20);
    g.pages_per_block = between(random, 2, 16);
    parts.policy = kPolicies[random.below(10) == 0 ? 2 : random.below(2)];
    parts.frames = between(random, 1, 64);
    parts.eviction = random.below(2) == 0 ? "single" : "cave";
    parts.cave_victims = random.below(2) == 0 ? 0 : between(random, 1, 9);
    parts.read_touch = random.below(2) == 0;
    parts.allocator = kAllocators[random.below(kAllocators.size())];
    parts.rr_mode = kModes[random.below(kModes.size())];
    parts.ftl.overprovision = 0.2 + 0.5 * random.uniform();
    parts.ftl.gc_low = between(random, 1, 3);
    parts.ftl.gc_high = parts.ftl.gc_low + between(random, 1, 2);
    parts.ftl.gc_pace = random.below(2) == 0 ? GcPace::kBurst : GcPace::kPaced;
    parts.ftl.gc_background = random.below(2) == 0 ? 0 : between(random, 1, 6);
    return parts;
}

} // namespace

CoreParts random_parts(Random& random) {
    for (;;) {
        CoreParts parts = any_parts(random);
        const bool tight = random.below(2) == 0;
        for (double share = 0.0; tight && share < parts.ftl.overprovision; share += 0.01) {
            CoreParts tighter = parts;
            tighter.ftl.overprovision = share;
            if (!page_ftl_why_not(tighter.geometry, tighter.ftl)) {
                parts = tighter;
            }
        }
        if (!page_ftl_why_not(parts.geometry, parts.ftl)) {
            return parts;
        }
    }
}

std::string text_of(const CoreParts& p) {
    const Geometry& g = p.geometry;
    std::string words;
    for (const std::uint32_t n : {g.channels, g.ways, g.dies_per_way, g.planes_per_die,
                                  g.blocks_per_plane, g.pages_per_block}) {
        words += std::to_string(n) + " ";
    }
    words += p.policy + " " + std::to_string(p.frames) + " " + p.eviction + " " +
             std::to_string(p.cave_victims) + " " + p.allocator + " mode " +
             std::to_string(static_cast<int>(p.rr_mode));
    return words + " gc " + std::to_string(p.ftl.gc_low) + " " + std::to_string(p.ftl.gc_high) +
           (p.ftl.gc_pace == GcPace::kPaced ? " paced" : " burst") + " background " +
           std::to_string(p.ftl.gc_background) + " overprovision " +
           std::to_string(p.ftl.overprovision);
}

void write_all(Twin& twin) {
    for (std::uint64_t page = 0; page < twin.core->ftl().logical_pages(); ++page) {
        (void)twin.core->write(Lpn{page});
    }
}

void play_random_request(Twin& twin, Random& random, std::uint64_t request) {
    play_random_request(*twin.core, twin.parts.geometry, random, request);
}

void play_random_request(DriveCore& core, const Geometry& geometry, Random& random,
                         std::uint64_t request) {
    const std::uint64_t pages = core.ftl().logical_pages();
    // Half of the accesses go to an eighth of the drive.
    const std::uint64_t region = random.below(2) == 0 ? pages : pages / 8 + 1;
    const Lpn first{random.below(region)};
    const std::uint64_t count = std::min(pages - raw(first), 1 + random.below(6));
    const std::uint64_t what = random.below(200);
    core.begin_request(request);
    for (std::uint64_t i = 0; what < 184 && i < count; ++i) {
        const Lpn lpn{raw(first) + i};
        if (what < 120) {
            (void)core.write(lpn);
        } else if (what < 130) {
            (void)core.write_through(lpn);
        } else {
            (void)core.read(lpn);
        }
    }
    if (what >= 198) {
        while (core.flush_step() != nullptr) {
        }
    } else if (what >= 192) {
        const PlaneId plane{static_cast<std::uint32_t>(random.below(geometry.planes()))};
        (void)core.maintain(plane, 1 + static_cast<std::uint32_t>(random.below(5)));
    } else if (what >= 184) {
        (void)core.trim(first, count);
    }
}

CoreParts small_twin() {
    CoreParts parts;
    parts.geometry = geometry_of(2, 1, 1, 8, 4);
    parts.ftl.overprovision = 0.5;
    parts.frames = 4;
    return parts;
}

std::string stopped(const std::function<void()>& act) {
    try {
        act();
    } catch (const ModelError& error) {
        return error.what();
    }
    return "";
}

} // namespace cavern::testing
