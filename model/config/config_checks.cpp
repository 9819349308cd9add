#include "config/config_checks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/data_check.h"
#include "config/dram_check.h"
#include "config/ecc_check.h"
#include "config/energy_check.h"
#include "config/latest_origin.h"
#include "config/look_up_check.h"
#include "config/namespace_check.h"
#include "config/nand_check.h"
#include "config/power_loss_check.h"
#include "config/slc_check.h"
#include "core/alloc/allocator_table.h"
#include "core/arbiter/channel_arbiter_if.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/sectors.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/eviction_trigger_table.h"
#include "core/ftl/ftl_table.h"

namespace cavern {
namespace {
// Page numbers times the pages of a die stay below 2^64 (core/base/divisor.h).
constexpr std::uint64_t kMaxPages = std::uint64_t{1} << 36;
constexpr std::uint64_t kMaxDiePages = std::uint64_t{1} << 28;
constexpr std::uint64_t kMax32Pages = 0xFFFF'FFFEu; // and dies of any size
constexpr std::uint64_t kMaxBlocks = 0xFFFF'FFFEu;  // a BlockId has 32 bits, one value means none
constexpr std::uint64_t kMaxFrames = 0xFFFF'FFFEu;  // so has a FrameId

class Checker {
  public:
    Checker(const ResolvedConfig& resolved, const std::string& file)
        : resolved_(resolved), config_(resolved.config), file_(file) {}

    void host() const {
        const HostConfig& host = config_.host;
        refuse(host.link->problem(host, host.link_params[*host.link]));
        refuse(find_namespace_problem(config_));
    }

    void geometry() const {
        const Geometry& g = config_.nand.geometry;
        require(is_power_of_two(g.page_bytes), {"nand.page_size"},
                fmt::format("nand.page_size = {} bytes is no power of two", g.page_bytes),
                "512B, 1KiB, 2KiB, ... 64KiB");
        require(
            g.spare_bytes <= g.page_bytes, {"nand.spare_size", "nand.page_size"},
            fmt::format("a spare area of {} bytes on a page of {}", g.spare_bytes, g.page_bytes),
            "nand.spare_size at most nand.page_size");
        const std::uint64_t slots = std::uint64_t{g.ways} * g.dies_per_way;
        require(slots <= kMaxRequesters, {"nand.ways", "nand.dies"},
                fmt::format("{} ways of {} dies are {} dies on a channel", g.ways, g.dies_per_way,
                            slots),
                fmt::format("at most {}: one request line of the arbiter each", kMaxRequesters));
        // Factor by factor: the product of the largest values does not fit 64 bits.
        const std::uint64_t dies = g.channels * slots;
        const std::uint64_t die_blocks = std::uint64_t{g.planes_per_die} * g.blocks_per_plane;
        const std::uint64_t blocks = dies * std::min(die_blocks, kMaxBlocks + 1);
        require(blocks <= kMaxBlocks,
                {"nand.channels", "nand.ways", "nand.dies", "nand.planes", "nand.blocks_per_plane"},
                fmt::format("the drive has more than {} blocks", kMaxBlocks),
                "fewer channels, ways, dies, planes or blocks");
        const std::uint64_t unit = config_.ftl.unit_bytes;
        const std::uint64_t units = unit == 0 || unit > g.page_bytes ? 1 : g.page_bytes / unit;
        const std::uint64_t block_pages = units * g.pages_per_block; // mapping units
        const std::uint64_t pages =
            blocks > kMaxPages / block_pages ? kMaxPages + 1 : blocks * block_pages;
        const std::vector<std::string> factors{"nand.channels",
                                               "nand.ways",
                                               "nand.dies",
                                               "nand.planes",
                                               "nand.blocks_per_plane",
                                               "nand.pages_per_block",
                                               "ftl.unit"};
        require(pages <= kMaxPages, factors,
                fmt::format("the drive has more than {} pages", kMaxPages),
                "fewer channels, ways, dies, planes, blocks or pages");
        require(pages <= kMax32Pages || die_blocks * block_pages <= kMaxDiePages, factors,
                fmt::format("a die has more than {} pages in a drive of more than {}", kMaxDiePages,
                            kMax32Pages),
                "more dies, or smaller ones");
    }

    void unit() const {
        const std::uint64_t unit = config_.ftl.unit_bytes;
        const std::uint64_t page = config_.nand.geometry.page_bytes;
        const auto text = [](std::uint64_t bytes) {
            return format_quantity(bytes, Quantity::kBytes);
        };
        if (unit == 0) {
            return;
        }
        const std::uint64_t least = std::max<std::uint64_t>(kSectorBytes, page / kMaxUnits);
        require(is_power_of_two(unit) && unit >= least && unit <= page,
                {"ftl.unit", "nand.page_size"},
                fmt::format("ftl.unit = {} on pages of {}", text(unit), text(page)),
                fmt::format("a power of two from {} to {}", text(least),
                            text(std::min(page, kMaxSectors * kSectorBytes))));
        require(unit == page || config_.ftl.scheme->supports_units, {"ftl.unit", "ftl.scheme"},
                fmt::format("ftl.unit = {} on pages of {} with ftl.scheme = {}", text(unit),
                            text(page), config_.ftl.scheme->name),
                fmt::format("{}, or ftl.unit = page or {}", layers_that(&FtlRow::supports_units),
                            text(page)));
    }

    void clock(const char* key, std::uint64_t hertz) const {
        require(kSecond % hertz == 0, {key},
                fmt::format("a period of {} Hz is no whole number of picoseconds", hertz),
                "a frequency that divides 1000 GHz, such as 200MHz or 250MHz");
    }

    void processor() const {
        const CpuConfig& cpu = config_.cpu;
        if (!executes_firmware(cpu.model)) {
            return;
        }
        require(cpu.cores == 1, {"cpu.cores", "cpu.model"},
                fmt::format("cpu.cores = {} where firmware is executed", cpu.cores),
                "cpu.cores = 1, or cpu.model = cost");
        require(cpu.decides != Decides::kCore, {"cpu.decides", "cpu.model"},
                "cpu.decides = core where firmware is executed",
                "cpu.decides = firmware or lockstep, or cpu.model = none");
    }

    void nand_timing() const {
        refuse(find_nand_problem(config_));
        clock("channel.arbiter_clock", config_.channel.arbiter_hz);
        clock("cpu.clock", config_.cpu.hz);
    }

    void dram() const {
        if (const auto problem = find_dram_problem(config_)) {
            require(false, problem->keys, problem->what, problem->right);
        }
    }

    void buffer() const {
        const BufferConfig& b = config_.buffer;
        const auto text = [](std::uint64_t bytes) {
            return format_quantity(bytes, Quantity::kBytes);
        };
        // Write-through needs frames as well: data passes through them.
        const std::uint64_t page = config_.geometry.page_bytes;
        require(b.bytes >= page && b.bytes % page == 0, {"buffer.size", "nand.page_size"},
                fmt::format("buffer.size = {} is no whole number of pages", text(b.bytes)),
                fmt::format("a multiple of {}", text(page)));
        const std::uint64_t nand_page = config_.nand.geometry.page_bytes;
        const std::uint64_t lines = config_.geometry.word_line_pages;
        require(b.bytes >= lines * nand_page || b.policy != nullptr,
                {"buffer.size", "nand.page_size", "buffer.policy", "nand.one_shot"},
                fmt::format("buffer.size = {} and buffer.policy = none on NAND pages of {}",
                            text(b.bytes), text(nand_page)),
                lines == 1 ? "a NAND page at least: its mapping units wait there for each other"
                           : fmt::format("{} NAND pages at least: those of a word line wait there "
                                         "for each other",
                                         lines));
        require(b.bytes / page <= kMaxFrames, {"buffer.size", "nand.page_size"},
                "the buffer has more than 4294967294 pages", "a smaller buffer.size");
        const std::uint64_t copies = config_.least_copies();
        require(b.bytes + (lines + copies) * nand_page <= config_.dram.bytes,
                {"buffer.size", "dram.copy_pages", "dram.size", "nand.one_shot"},
                fmt::format("a buffer of {} in an SDRAM of {}", text(b.bytes),
                            text(config_.dram.bytes)),
                fmt::format("buffer.size at least {} NAND pages below dram.size: {} for pages "
                            "read, {} for copies",
                            lines + copies, lines == 1 ? "one" : std::to_string(lines), copies));
        require(!b.ncq_aware || b.policy != nullptr, {"buffer.ncq_aware", "buffer.policy"},
                "buffer.ncq_aware without a buffer", "a buffer.policy other than none");
        require(!b.ncq_aware || b.dispatch != Dispatch::kAtOnce,
                {"buffer.ncq_aware", "buffer.dispatch"},
                "buffer.ncq_aware where no command ever waits",
                "buffer.dispatch = in-turn or auto");
        if (b.policy == nullptr) {
            return;
        }
        require(!b.policy->needs_read_cache || b.cache_reads,
                {"buffer.policy", "buffer.cache_reads"},
                fmt::format("buffer.policy = {} in a buffer without clean pages", b.policy->name),
                "buffer.cache_reads = true");
        const auto on_full = std::count_if(b.eviction.begin(), b.eviction.end(),
                                           [](const auto* row) { return row->on_full; });
        require(on_full <= 1, {"buffer.eviction"},
                "buffer.eviction names two rates of the same moment, a full buffer", "one of them");
        own_parameters("buffer", eviction_trigger_table(), b.trigger_params);
        own_parameters("buffer", eviction_policy_table(), b.policy_params);
    }

    void others() const {
        refuse(find_look_up_problem(config_));
        refuse(find_data_problem(config_));
        refuse(find_ecc_problem(config_));
        refuse(find_energy_problem(config_));
        refuse(find_power_loss_problem(config_));
    }

    void ftl() const {
        const FtlParams f = config_.ftl_params;
        require(f.gc_low < f.gc_high, {"ftl.gc_low", "ftl.gc_high"},
                fmt::format("ftl.gc_low = {} and ftl.gc_high = {}", f.gc_low, f.gc_high),
                "gc_low below gc_high");
        refuse(find_slc_problem(config_));
        const FtlRow* row = config_.ftl.scheme;
        own_parameters("ftl", ftl_table(), config_.ftl.scheme_params);
        own_parameters("ftl", victim_policy_table(), config_.ftl.victim_params);
        placement(*row);
        if (row->map_memory != nullptr) {
            map_memory(*row);
        }
        if (config_.ftl.adaptive) {
            adaptive(*row);
        }
        collection(*row);
        refuse(row->why_not(config_.geometry, f), with_keys({"ftl.scheme",
                                                             "ftl.overprovision",
                                                             "ftl.gc_low",
                                                             "ftl.gc_high",
                                                             "ftl.log_blocks",
                                                             "ftl.map_cache",
                                                             "ftl.partition",
                                                             "nand.channels",
                                                             "nand.ways",
                                                             "nand.dies",
                                                             "nand.planes",
                                                             "nand.blocks_per_plane",
                                                             "nand.pages_per_block",
                                                             "nand.slc_blocks",
                                                             "ftl.gc_unit",
                                                             "ftl.gc_shared_frontier",
                                                             "ftl.hot_cold",
                                                             "ftl.unit",
                                                             "nand.one_shot",
                                                             "ftl.wear_leveling",
                                                             "nand.bad_blocks",
                                                             "nand.program_failures",
                                                             "nand.erase_failures",
                                                             "nand.retire_worn",
                                                             "nand.fault_list",
                                                             "host.fdp.handles",
                                                             "seed"},
                                                            "ftl", *row));
    }

  private:
    template <typename Row>
    [[nodiscard]] static std::vector<std::string> keys_of(const std::string& section,
                                                          const Row& row) {
        std::vector<std::string> keys;
        for (const Knob& knob : row.knobs) {
            keys.push_back(fmt::format("{}.{}.{}", section, row.name, knob.name));
        }
        return keys;
    }

    template <typename Row>
    [[nodiscard]] static std::vector<std::string>
    with_keys(std::vector<std::string> keys, const std::string& section, const Row& row) {
        const std::vector<std::string> own = keys_of(section, row);
        keys.insert(keys.end(), own.begin(), own.end());
        return keys;
    }

    template <typename Row>
    void own_parameters(const std::string& section, const std::vector<Row>& table,
                        const ParamsOf<Row>& params) const {
        for (const Row& row : table) {
            if (row.knobs.why_not != nullptr) {
                refuse(row.knobs.why_not(params[row]), keys_of(section, row));
            }
        }
    }

    template <typename Problem>
    void refuse(const std::optional<Problem>& problem) const {
        if (problem) {
            require(false, problem->keys, problem->what, problem->right);
        }
    }
    /// Complains of a "what; what would be right", if there is one.
    void refuse(const std::optional<std::string>& why_not,
                const std::vector<std::string>& keys) const {
        if (why_not) {
            const std::size_t half = why_not->find("; ");
            CAVERN_CHECK(half != std::string::npos, "a reason says what is wrong; what is right");
            require(false, keys, why_not->substr(0, half), why_not->substr(half + 2));
        }
    }

    /// Buffer, pages on their way and the map share the SDRAM.
    void map_memory(const FtlRow& ftl) const {
        const std::uint64_t bytes = ftl.map_memory(config_.geometry, config_.ftl_params).bytes;
        const std::uint64_t others =
            config_.buffer.bytes + (1 + config_.least_copies()) * config_.nand.geometry.page_bytes;
        require(
            bytes + others <= config_.dram.bytes,
            with_keys({"ftl.map_cache", "ftl.log_blocks", "ftl.scheme", "buffer.size", "dram.size"},
                      "ftl", ftl),
            fmt::format("a map of {} beside a buffer of {} in an SDRAM of {}",
                        format_quantity(bytes, Quantity::kBytes),
                        format_quantity(config_.buffer.bytes, Quantity::kBytes),
                        format_quantity(config_.dram.bytes, Quantity::kBytes)),
            "both together at least a page for reads and those for copies below dram.size");
    }

    /// Memory that is divided as the run goes.
    void adaptive(const FtlRow& ftl) const {
        require(ftl.map_memory != nullptr, {"ftl.partition", "ftl.scheme"},
                fmt::format("ftl.partition = adaptive with ftl.scheme = {}, whose map has one size",
                            ftl.name),
                "ftl.scheme = dftl or fast");
        require(config_.buffer.policy != nullptr, {"ftl.partition", "buffer.policy"},
                "ftl.partition = adaptive without a write buffer",
                "a buffer.policy such as lru-page");
        require(!config_.buffer.cache_reads, {"ftl.partition", "buffer.cache_reads"},
                "ftl.partition = adaptive with a buffer that keeps pages read",
                "buffer.cache_reads = false");
        require(!config_.buffer.flush_keep, {"ftl.partition", "buffer.flush_keep"},
                "ftl.partition = adaptive with a buffer that keeps pages a FLUSH wrote",
                "buffer.flush_keep = false");
        require(is_power_of_two(config_.ftl.partition.bitmap_bytes), {"ftl.adaptive.bitmap"},
                fmt::format("ftl.adaptive.bitmap = {} is no power of two",
                            format_quantity(config_.ftl.partition.bitmap_bytes, Quantity::kBytes)),
                "64KiB, 128KiB, 256KiB, ...");
    }

    /// An allocator may choose no more than the translation layer leaves it.
    void placement(const FtlRow& ftl) const {
        const AllocConfig& a = config_.alloc;
        const AllocatorRow& row = *a.scheme;
        const RoundRobinMode mode = row.mode_of(a.params[row]);
        const auto own = with_keys({"ftl.scheme", "alloc.scheme"}, "alloc", row);
        if (ftl.freedom == PlacementFreedom::kBlocks || ftl.freedom == PlacementFreedom::kHomes) {
            require(row.keeps_blocks, {"ftl.scheme", "alloc.scheme"},
                    fmt::format("alloc.scheme = {} with ftl.scheme = {}, which maps whole blocks",
                                row.name, ftl.name),
                    "alloc.scheme = block-round-robin or stripe-block");
            require(mode != RoundRobinMode::kFree, own,
                    fmt::format("alloc.{}.mode = free with ftl.scheme = {}: a block "
                                "cannot change its die for nothing",
                                row.name, ftl.name),
                    ftl.freedom == PlacementFreedom::kHomes ? "sticky" : "move, gather or sticky");
            require(ftl.freedom != PlacementFreedom::kHomes || mode == RoundRobinMode::kSticky, own,
                    fmt::format("alloc.{}.mode = {} with ftl.scheme = {}, which "
                                "moves no block for a new die",
                                row.name, mode == RoundRobinMode::kMove ? "move" : "gather",
                                ftl.name),
                    "sticky");
        }
        require(ftl.freedom != PlacementFreedom::kNone || row.stripes_by_address,
                {"ftl.scheme", "alloc.scheme"},
                fmt::format("alloc.scheme = {} with ftl.scheme = {}, which fixes the place of a "
                            "page by its address",
                            row.name, ftl.name),
                "alloc.scheme = stripe-page");
    }

    /// Not every layer has what the page-mapping one has.
    void collection(const FtlRow& ftl) const {
        const FtlParams f = config_.ftl_params;
        require(!config_.nand.retire_worn || config_.nand.endurance != 0,
                {"nand.retire_worn", "nand.endurance", "nand.part"},
                "nand.retire_worn = true and no nand.endurance", "say how many erases are good");
        require(f.gc_pace == GcPace::kBurst || ftl.collects_in_steps, {"ftl.scheme", "ftl.gc_pace"},
                fmt::format("ftl.gc_pace = paced with ftl.scheme = {}", ftl.name),
                layers_that(&FtlRow::collects_in_steps));
        require(
            f.gc_background == 0 || ftl.only_on_demand.empty(), {"ftl.scheme", "ftl.gc_background"},
            fmt::format("ftl.gc_background with ftl.scheme = {}, {}", ftl.name, ftl.only_on_demand),
            "ftl.gc_background = 0");
        require(f.gc_placement == GcPlacement::kPlane || ftl.joins_planes,
                {"ftl.scheme", "ftl.gc_placement"},
                fmt::format("a wider ftl.gc_placement than plane with ftl.scheme = {}", ftl.name),
                layers_that(&FtlRow::joins_planes));
        if (ftl.supports_wear_and_faults) {
            return;
        }
        require(!f.faults.any(),
                {"ftl.scheme", "nand.bad_blocks", "nand.program_failures", "nand.erase_failures",
                 "nand.retire_worn", "nand.fault_list"},
                fmt::format("bad blocks or failures with ftl.scheme = {}", ftl.name),
                "ftl.scheme = page");
        require(
            f.wear_leveling == WearLeveling::kNone && !f.hot_cold && !f.refreshes,
            {"ftl.scheme", "ftl.wear_leveling", "ftl.hot_cold", "ftl.refresh_reads",
             "ecc.refresh_errors"},
            fmt::format("ftl.wear_leveling, hot_cold or refresh with ftl.scheme = {}", ftl.name),
            "ftl.scheme = page");
    }

    /// "ftl.scheme = page or dftl": those that have it.
    [[nodiscard]] static std::string layers_that(bool FtlRow::*ability) {
        std::string names;
        for (const FtlRow& row : ftl_table()) {
            if (row.*ability) {
                names += (names.empty() ? "ftl.scheme = " : " or ") + std::string(row.name);
            }
        }
        return names;
    }

    /// Complains at the place of that key of those named that was given last.
    void require(bool holds, const std::vector<std::string>& keys, const std::string& what,
                 const std::string& right) const {
        if (holds) {
            return;
        }
        const SettingOrigin at =
            latest_origin(resolved_, keys).value_or(SettingOrigin{Layer::kDefault, 0, file_, 1});
        throw UserError(at.file, at.line, what, right);
    }

    const ResolvedConfig& resolved_;
    const DrivePlan& config_;
    const std::string& file_;
};

} // namespace

void check_config(const ResolvedConfig& resolved, const std::string& file) {
    const Checker checker(resolved, file);
    checker.unit(); // first: the others look at the drive's shape in units
    checker.host();
    checker.geometry();
    checker.nand_timing();
    checker.processor();
    checker.dram();
    checker.buffer();
    checker.ftl();
    checker.others();
}

} // namespace cavern
