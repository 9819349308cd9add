#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/base/refusal.h"
#include "workload/random_place.h"
#include "workload/request_size.h"

namespace cavern {

/// A value of a job that is no such value; what() continues "bssplit ...".
class JobTextError : public std::runtime_error {
  public:
    JobTextError(const std::string& what, std::string right)
        : std::runtime_error(what), right_(std::move(right)) {}
    [[nodiscard]] const std::string& right() const { return right_; }

  private:
    std::string right_;
};

/// Parses the value of a key; why it is none.
template <typename Parse>
[[nodiscard]] Refused refused_text(Parse parse) {
    try {
        parse();
        return {};
    } catch (const JobTextError& error) {
        return Refusal{{}, error.what(), error.right()};
    }
}

/// Sizes by direction.
struct SizesText {
    SizeDistribution read;
    SizeDistribution write;
};
struct MeansText {
    std::uint64_t read;
    std::uint64_t write;
};
/// How a size is written differs between TOML ("4KiB") and fio ("4k").
using BytesOf = std::function<std::optional<std::uint32_t>(std::string_view)>;

/// "4k" or "4k,8k": reads, then writes. All throw JobTextError.
[[nodiscard]] SizesText parse_block_sizes(std::string_view text, const BytesOf& bytes_of);
/// "4k/60:64k/40", or two such separated by a comma. Shares left away divide the rest equally.
[[nodiscard]] SizesText parse_bssplit(std::string_view text, const BytesOf& bytes_of);
/// Reads mean sizes, as parse_block_sizes() reads sizes.
[[nodiscard]] MeansText parse_means(std::string_view text, const BytesOf& bytes_of);
/// "random", "zipf:1.2", "pareto:0.2", "zoned:60/10:40/90" (percent of accesses / of the region),
/// "hotspot:80/20" (the same as zoned:80/20:20/80).
[[nodiscard]] PlaceDistribution parse_distribution(std::string_view text);
/// A number from 0 to 100, fractions allowed.
[[nodiscard]] double parse_percent(std::string_view text);

} // namespace cavern
