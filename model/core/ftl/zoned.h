#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/divisor.h"
#include "core/base/geometry.h"
#include "core/base/knob.h"
#include "core/base/page_numbers.h"
#include "core/base/ring.h"
#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/planes_in_step.h"
#include "core/ftl/zone_states.h"

namespace cavern {

class StateArchive;

struct ZonedParams {
    double capacity = 1.0;
    std::uint32_t max_open = 0;
    std::uint32_t max_active = 0;

    static constexpr auto knobs = knobs_of(
        knob<&ZonedParams::capacity>("capacity",
                                     "the host can write this share of a zone (zone capacity)")
            .within(1e-6, 1.0),
        knob<&ZonedParams::max_open>("max_open", "so many zones may be open; 0: any number"),
        knob<&ZonedParams::max_active>("max_active",
                                       "so many zones may be open or closed; 0: any number"));
    [[nodiscard]] std::optional<std::string> why_not() const;
};

/// Zones on superblocks (NVMe Zoned Namespace Command Set 1.1). The blocks of one number in all
/// planes are a superblock, which a zone takes when it is written first and gives back, erased,
/// when it is reset. Superblocks are used in turn, so that they wear alike. Nothing is collected,
/// and no page is programmed twice.
///
/// The pages of a zone lie in its superblock in the order in which they leave the write buffer,
/// across the planes first; with a buffer that evicts in the order of writes that is the order of
/// addresses. ZoneStates says what the host may do; pages come here only of commands that it lets
/// pass, and only a whole zone is trimmed.
///
/// Memory: 4 bytes a logical page, 24 a zone.
class Zoned final : public FtlIf {
  public:
    using Params = ZonedParams;

    /// `params` must satisfy zoned_why_not(). `log` may be null.
    Zoned(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList& ops) override;
    [[nodiscard]] Ppn location(Lpn lpn) const override;
    [[nodiscard]] std::uint64_t mapped_pages() const override { return mapped_; }
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override;
    void trim(Lpn lpn, FlashOpList& ops) override;
    /// Of a whole zone: it is reset.
    void trim_range(Lpn first, std::uint64_t count, FlashOpList& ops) override;
    [[nodiscard]] bool has_room(PlaneId, Lpn) const override { return true; }
    [[nodiscard]] std::optional<DieId> destination(Lpn, std::optional<DieId>) const override {
        return std::nullopt; // the order of evictions says
    }
    [[nodiscard]] std::uint64_t logical_pages() const override { return l2p_.size(); }
    [[nodiscard]] const FtlCounters& counters() const override { return counters_; }
    void reset_counters() override {
        counters_ = {};
        states_.reset_counters();
    }
    std::uint64_t check_invariants() const override;
    void serialize(StateArchive& archive) override;

  private:
    friend struct ZonedProbe; // tests corrupt the state to see check_invariants notice

    /// Where the pages of a zone are.
    struct Place {
        std::uint32_t superblock = 0; ///< + 1; 0: none
        std::uint64_t pages = 0;      ///< programmed
    };

    [[nodiscard]] Ppn page(const Place& place, std::uint64_t index) const {
        return step_.in_flash(Ppn{std::uint64_t{place.superblock - 1} * zone_pages_ + index});
    }

    PlanesInStep step_;
    std::uint64_t zone_pages_;
    WideDivisor by_zone_;
    DecisionLogIf* log_;
    ZoneStates states_;
    PageNumbers l2p_;           ///< physical page in step + 1; 0: not mapped
    std::vector<Place> places_; ///< by zone
    Ring<std::uint32_t> free_;  ///< superblocks, longest free first
    std::uint64_t mapped_ = 0;
    FtlCounters counters_;
};

/// Zones that a drive has: its superblocks less the share `overprovision`, rounded down.
[[nodiscard]] std::uint32_t zones_of(const Geometry& geometry, const FtlParams& params);
/// Pages of all of them, those behind the capacity of a zone included.
[[nodiscard]] std::uint64_t zoned_pages(const Geometry& geometry, const FtlParams& params);

/// Why the drive cannot have zones, as "what; what would be right"; nothing if it can.
[[nodiscard]] std::optional<std::string> zoned_why_not(const Geometry& geometry,
                                                       const FtlParams& params);

} // namespace cavern
