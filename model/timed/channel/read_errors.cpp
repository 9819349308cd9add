#include "timed/channel/read_errors.h"

#include <algorithm>

#include "core/base/random.h"

namespace cavern {
namespace {

constexpr double kPsPerDay = 86'400.0 * static_cast<double>(kSecond);

} // namespace

ReadErrors::ReadErrors(const Geometry& geometry, const NandArray& array, const ErrorParams& params,
                       std::uint64_t bits, std::uint64_t seed)
    : geometry_(geometry), array_(array), params_(params), rate_(bit_error_rate(params.model)),
      shares_(page_shares(params.coding)), bits_(bits), seed_(seed),
      nand_pages_(static_cast<double>(geometry.pages_per_block / geometry.units_per_page)),
      blocks_(geometry.blocks()) {}

/// What was there before the run is so much older than it.
double ReadErrors::mean(Ppn page, TimePs now) const {
    const BlockId id = geometry_.block_of(page);
    const Block& block = blocks_[raw(id)];
    const double cycles = static_cast<double>(params_.cycles) + array_.erase_count(id);
    const double days = block.since != 0 ? static_cast<double>(now - (block.since - 1)) / kPsPerDay
                                         : params_.days + static_cast<double>(now) / kPsPerDay;
    const double reads = static_cast<double>(block.reads) / nand_pages_;
    const double rate = std::min(params_.scale * share(page) * rate_.at(cycles, days, reads), 0.5);
    return rate * static_cast<double>(bits_);
}

std::uint32_t ReadErrors::errors(Ppn page, std::uint32_t index, double mean) const {
    Random place(seed_);
    for (const std::uint64_t part :
         {raw(page), std::uint64_t{array_.erase_count(geometry_.block_of(page))},
          std::uint64_t{index}}) {
        place = Random(place.next() ^ part);
    }
    return poisson_quantile(mean, place.next());
}

void ReadErrors::programmed(Ppn page, bool lost, TimePs now) {
    Block& block = blocks_[raw(geometry_.block_of(page))];
    const bool first = geometry_.page_in_block(page) == 0;
    if (block.erased || (block.since == 0 && first)) {
        block.since = now + 1;
        block.erased = false;
    }
    if (lost) {
        lost_.set(raw(page), 1);
    }
}

void ReadErrors::erased(BlockId id) {
    blocks_[raw(id)] = {0, 0, true};
    const std::uint64_t first = raw(geometry_.page(id, 0));
    for (std::uint32_t i = 0; lost_.size() != 0 && i < geometry_.pages_per_block; ++i) {
        if (lost_.find(first + i) != FlatMap::kNone) {
            lost_.erase(first + i);
        }
    }
}

} // namespace cavern
