#include "core/ftl/block_faults.h"

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/whole_file.h"

namespace cavern {

namespace {

/// A share as a bound on 64 random bits.
std::uint64_t bound_of(double share) {
    return share >= 1.0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(share * 0x1.0p64);
}

auto key(const BlockFault& fault) {
    return std::make_tuple(fault.kind, raw(fault.block), fault.page, fault.erases);
}

} // namespace

BlockFaults::BlockFaults(const Geometry& geometry, const BlockFaultParams& params,
                         std::uint64_t seed)
    : factory_(bound_of(params.factory_bad)), program_(bound_of(params.program_failures)),
      erase_(bound_of(params.erase_failures)), last_erase_(params.last_erase), seed_(seed),
      listed_(params.single) {
    if (!params.list.empty()) {
        const std::vector<BlockFault> read = read_block_faults(params.list, geometry);
        listed_.insert(listed_.end(), read.begin(), read.end());
    }
    std::sort(listed_.begin(), listed_.end(),
              [](const BlockFault& a, const BlockFault& b) { return key(a) < key(b); });
    grows_ = program_ != 0 || erase_ != 0 || last_erase_ != 0 ||
             std::any_of(listed_.begin(), listed_.end(), [](const BlockFault& fault) {
                 return fault.kind != BlockFault::Kind::kFactory;
             });
}

bool BlockFaults::is_factory_bad(BlockId block) const {
    const BlockFault fault{BlockFault::Kind::kFactory, block};
    return (factory_ != 0 && draw(fault) < factory_) || is_listed(fault);
}

bool BlockFaults::program_fails(BlockId block, std::uint32_t page, std::uint32_t erases) const {
    const BlockFault fault{BlockFault::Kind::kProgram, block, page, erases};
    return (program_ != 0 && draw(fault) < program_) || is_listed(fault);
}

bool BlockFaults::erase_fails(BlockId block, std::uint32_t erases) const {
    const BlockFault fault{BlockFault::Kind::kErase, block, 0, erases};
    return (last_erase_ != 0 && erases >= last_erase_) || (erase_ != 0 && draw(fault) < erase_) ||
           is_listed(fault);
}

bool BlockFaults::is_listed(const BlockFault& fault) const {
    return std::binary_search(
        listed_.begin(), listed_.end(), fault,
        [](const BlockFault& a, const BlockFault& b) { return key(a) < key(b); });
}

// Each part goes through the generator, whose streams for neighbouring seeds overlap.
std::uint64_t BlockFaults::draw(const BlockFault& fault) const {
    std::uint64_t state = Random(seed_ + static_cast<std::uint64_t>(fault.kind)).next();
    state = Random(state + raw(fault.block)).next();
    state = Random(state + fault.page).next();
    return Random(state + fault.erases).next();
}

std::vector<BlockFault> read_block_faults(const std::string& path, const Geometry& geometry) {
    constexpr const char* kForms = "factory BLOCK, program BLOCK PAGE ERASES or erase BLOCK ERASES";
    WholeFile whole = read_whole(path, kMostBinaryBytes);
    if (!whole.readable || whole.too_long) {
        throw UserError(path, 1,
                        whole.readable
                            ? std::string("the list of faults has more than ") + kMostBinary
                            : "the list of faults cannot be read",
                        "name a file that exists");
    }
    std::istringstream file(std::move(whole.bytes));
    std::vector<BlockFault> faults;
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string kind;
        if (!(words >> kind)) {
            continue;
        }
        using Kind = BlockFault::Kind;
        std::uint32_t block = 0;
        BlockFault fault;
        bool good = static_cast<bool>(words >> block);
        if (kind == "program") {
            fault.kind = Kind::kProgram;
            good = good && words >> fault.page >> fault.erases;
        } else if (kind == "erase") {
            fault.kind = Kind::kErase;
            good = good && words >> fault.erases;
        } else {
            good = good && kind == "factory";
        }
        std::string rest;
        if (!good || words >> rest) {
            throw UserError(path, number, "\"" + line + "\" is no fault", kForms);
        }
        if (block >= geometry.blocks() || fault.page >= geometry.pages_per_block) {
            throw UserError(path, number, "the drive has no such block or page",
                            "blocks below " + std::to_string(geometry.blocks()) + ", pages below " +
                                std::to_string(geometry.pages_per_block));
        }
        fault.block = BlockId{block};
        faults.push_back(fault);
    }
    return faults;
}

std::uint32_t most_factory_bad(const Geometry& geometry, const BlockFaultParams& params,
                               std::uint64_t seed) {
    std::uint32_t most = 0;
    if (!params.any()) {
        return most;
    }
    const BlockFaults faults(geometry, params, seed);
    for (std::uint32_t plane = 0; plane < geometry.planes(); ++plane) {
        std::uint32_t bad = 0;
        for (std::uint32_t i = 0; i < geometry.blocks_per_plane; ++i) {
            bad += faults.is_factory_bad(geometry.block(PlaneId{plane}, i)) ? 1 : 0;
        }
        most = std::max(most, bad);
    }
    return most;
}

} // namespace cavern
