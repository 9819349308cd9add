#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "timed/dram/fr_fcfs_scheduler.h"

namespace cavern {

struct SdramCommandRecord {
    SdramCommand command;
    DramClock at;
    std::uint32_t bank;
    std::uint64_t row;
};

/// Writes down every command, trains burst by burst.
class SdramRecorder final : public SdramObserverIf {
  public:
    explicit SdramRecorder(const SdramTiming& timing) : spacing_(timing.group_spacing()) {}

    void on_command(SdramCommand command, DramClock at, std::uint32_t bank, std::uint64_t row,
                    std::uint32_t count) override {
        ++calls;
        for (std::uint32_t i = 0; i < count; ++i) {
            commands.push_back({command, at + std::uint64_t{i} * spacing_, bank, row});
        }
    }

    /// In order of clock.
    [[nodiscard]] std::vector<SdramCommandRecord> sorted() const {
        std::vector<SdramCommandRecord> result = commands;
        std::stable_sort(result.begin(), result.end(),
                         [](const auto& a, const auto& b) { return a.at < b.at; });
        return result;
    }

    /// Clocks of all commands of one kind, ascending; of one bank if given.
    [[nodiscard]] std::vector<DramClock> clocks_of(SdramCommand command,
                                                   std::optional<std::uint32_t> bank = {}) const {
        std::vector<DramClock> result;
        for (const SdramCommandRecord& record : sorted()) {
            if (record.command == command && (!bank || record.bank == *bank)) {
                result.push_back(record.at);
            }
        }
        return result;
    }

    std::vector<SdramCommandRecord> commands;
    std::uint64_t calls = 0;

  private:
    std::uint32_t spacing_;
};

/// Goes through a command trace and names each rule of the data sheet (JESD79-3, JESD79-4,
/// JESD209-4) that it breaks; for any number of bank groups and ranks. Shares nothing with the
/// scheduler but the timing parameters.
[[nodiscard]] std::vector<std::string>
check_sdram_trace(const std::vector<SdramCommandRecord>& trace, const SdramTiming& timing);

} // namespace cavern
