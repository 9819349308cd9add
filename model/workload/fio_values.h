#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/units.h"
#include "workload/fio_job.h"

namespace cavern {

/// Counts and sizes of a job stay below 2^63, so that sums of two fit.
inline constexpr std::uint64_t kMaxWhole = std::numeric_limits<std::int64_t>::max();

/// "4k", "1g", "512", "4kb", "4ki", "4KiB". fio has it the wrong way round, for the sake of old job
/// files: without "i" a prefix is a power of 1024 and with it one of 1000, unless kb_base=1000 is
/// said.
[[nodiscard]] std::optional<std::uint64_t> fio_bytes(std::string_view text, unsigned kb_base);
/// A size below 4 GiB.
[[nodiscard]] std::optional<std::uint32_t> fio_block_bytes(std::string_view text, unsigned kb_base);

/// "KEY=VALUE" of a fio job file, and where it stands. Throws UserError there.
struct FioEntry {
    const std::string& file;
    std::size_t line;
    std::string_view key;
    std::string_view value;
    unsigned kb_base = 1024;

    [[noreturn]] void fail(const std::string& what, const std::string& right) const;
    [[nodiscard]] std::uint64_t whole(std::uint64_t min, std::uint64_t max) const;
    /// A key alone is true.
    [[nodiscard]] bool flag() const;
    [[nodiscard]] std::uint64_t bytes() const;
    /// "30%"; absent where the value is none.
    [[nodiscard]] std::optional<double> percent() const;
    /// With a unit, or in `unit`.
    [[nodiscard]] TimePs time(TimePs unit) const;
};

/// "4k". `entry` says what a prefix means. The first three throw JobTextError.
[[nodiscard]] FioSizes one_size(const FioEntry& entry, std::string_view text);
/// "4k-64k".
[[nodiscard]] FioSizes size_range(const FioEntry& entry, std::string_view text);
/// "4k/60:64k/40".
[[nodiscard]] FioSizes size_shares(const FioEntry& entry, std::string_view text);
/// The value of the entry: "10g", "30%", "4z". Throws UserError.
[[nodiscard]] FioLength length_of(const FioEntry& entry);

} // namespace cavern
