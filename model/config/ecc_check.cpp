#include "config/ecc_check.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"

namespace cavern {

std::optional<ConfigProblem> find_ecc_problem(const DrivePlan& config) {
    const EccParams& ecc = config.ecc;
    const auto text = [](std::uint64_t bytes) { return format_quantity(bytes, Quantity::kBytes); };
    if ((ecc.codeword & (ecc.codeword - 1)) != 0) {
        return ConfigProblem{
            {"ecc.codeword"},
            fmt::format("ecc.codeword = {} bytes is no power of two", ecc.codeword),
            "512B, 1KiB, 2KiB, ... 64KiB"};
    }
    if (!ecc.engine) {
        if (ecc.errors.model == BitErrors::kNone) {
            return std::nullopt;
        }
        return ConfigProblem{{"ecc.engine", "ecc.errors"},
                             "ecc.errors where error correction takes no time",
                             "ecc.engine = per-channel, or ecc.errors = none"};
    }
    if (ecc.errors.soft_reads != 0 && ecc.errors.soft_correctable < ecc.errors.correctable) {
        return ConfigProblem{{"ecc.correctable", "ecc.soft_reads", "ecc.soft_correctable"},
                             fmt::format("ecc.soft_correctable = {} and ecc.correctable = {}",
                                         ecc.errors.soft_correctable, ecc.errors.correctable),
                             "ecc.soft_correctable at least ecc.correctable"};
    }
    const std::size_t coded = page_shares(ecc.errors.coding).size();
    const std::size_t types =
        std::max(config.nand.timing.t_r.size(), config.nand.timing.t_prog.size());
    if (coded != 0 && types > 1 && coded != types) {
        return ConfigProblem{
            {"ecc.coding", "nand.part", "nand.t_read", "nand.t_program"},
            fmt::format("ecc.coding for {} page types, and the part has {}", coded, types),
            "a coding with as many, or even"};
    }
    const std::uint64_t unit = config.geometry.page_bytes;
    if (ecc.codeword > unit) {
        return ConfigProblem{
            {"ecc.engine", "ecc.codeword", "ftl.unit", "nand.page_size"},
            fmt::format("ecc.codeword = {} on mapping units of {}", text(ecc.codeword), text(unit)),
            fmt::format("ecc.codeword at most {}", text(unit))};
    }
    return std::nullopt;
}

} // namespace cavern
