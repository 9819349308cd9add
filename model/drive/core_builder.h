#pragma once

#include <memory>

#include "config/config.h"
#include "core/data/drive_data.h"
#include "core/drive/drive_core.h"
#include "core/drive/precondition.h"
#include "drive/deciding_parts.h"
#include "drive/run_observer.h"

namespace cavern {

/// The decision core a configuration describes, from the tables of its layers. `log` may be null.
/// `parts` decide; null: make_deciding_parts(). Where power is lost, `contents` is what flash holds
/// beside data; empty: a drive without any.
std::unique_ptr<DriveCore> build_core(const SsdConfig& config, DecisionLogIf* log,
                                      DecidingParts* parts = nullptr, FlashContents contents = {});

/// Page frames of the write buffer (also with write-through, where they only hold data on its way).
std::uint32_t buffer_frames(const SsdConfig& config);

/// Whether a command waits until those before it have their frames (buffer.dispatch).
bool takes_commands_in_turn(const SsdConfig& config);

/// A read of the host moves the pieces of a page of so many bytes that it touches; 0: the page.
std::uint32_t read_grain(const SsdConfig& config);

/// Page slots of the SDRAM behind the frames, for flash reads of the host on their way: at most
/// four a die.
std::uint32_t staging_slots(const SsdConfig& config);

/// Page slots of the SDRAM behind those, for the copies of each die (dram.copy_pages): whole NAND
/// pages; by itself four a plane, as far as half of what the buffer leaves has room for them.
std::uint32_t copy_slots_per_die(const SsdConfig& config);

/// What keeps the data of the drive of this core (data.store); null: none does. `host` may be null,
/// and must be unless all bytes are kept.
std::unique_ptr<DriveData> make_data(const SsdConfig& config, const DriveCore& core,
                                     HostDataIf* host);

/// What the drive goes through before the run.
[[nodiscard]] Precondition precondition_of(const SsdConfig& config);
/// Tells `observer`, which may be null.
[[nodiscard]] PreconditionWatch watch_of(RunObserverIf* observer);

} // namespace cavern
