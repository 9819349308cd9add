#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/base/random.h"
#include "firmware/twin/decision_lockstep.h"
#include "firmware/twin/firmware_core.h"
#include "tests/core/drive/drive_fixture.h"

namespace cavern::testing {

/// The same drive for the firmware. `parts` must outlive it: names are views.
FirmwareParams firmware_params_of(const CoreParts& parts);

/// A decision core and the firmware made of the same parts: what is asked of `core` is asked of
/// both and compared.
struct Twin {
    explicit Twin(const CoreParts& made_of);

    CoreParts parts;
    std::unique_ptr<DriveCore> core;
    std::shared_ptr<FirmwareCore> firmware;
    DecisionLockstep* lockstep; ///< the core's
};

/// A small drive of any kind that the firmware can be. Half of them have no more room than they
/// need.
CoreParts random_parts(Random& random);

/// Two dies of eight blocks of four pages, half of them spare, and four frames.
CoreParts small_twin();

/// Why `act` was stopped by a ModelError; "": it was not.
std::string stopped(const std::function<void()>& act);

/// In words, for a failure.
std::string text_of(const CoreParts& parts);

/// Every page of the drive is written once, in order.
void write_all(Twin& twin);

/// One random call of the host, numbered `request`, to both.
void play_random_request(Twin& twin, Random& random, std::uint64_t request);
/// The same to a core, whoever listens to it.
void play_random_request(DriveCore& core, const Geometry& geometry, Random& random,
                         std::uint64_t request);

} // namespace cavern::testing
