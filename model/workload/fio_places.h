#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "workload/fio_job.h"
#include "workload/fio_map.h"
#include "workload/request.h"

namespace cavern {

/// Where the requests of a job of fio go, and how large they are: io_u.c and filesetup.c of fio
/// 3.33.
class FioPlaces {
  public:
    /// `job` outlives it.
    FioPlaces(const FioJob& job, const FioRegion& on);
    /// The next request of a direction. False where the file has none left in this pass.
    [[nodiscard]] bool fill(FioDirection direction, Random& random, HostRequest& request);
    /// The file is opened again: its front comes next, and each of its blocks is free.
    void begin_pass();
    /// Of rw=trimwrite: what was trimmed last is not written yet.
    [[nodiscard]] bool has_trimmed() const {
        return of(FioDirection::kTrim).end != of(FioDirection::kWrite).end;
    }
    /// A reset that goes before the write that fill() has given, which is moved to where its zone
    /// goes on.
    [[nodiscard]] std::optional<HostRequest> to_zone(HostRequest& write);

  private:
    /// The last request of a direction. The next one in order begins at its end.
    struct Last {
        std::uint64_t end;
        std::optional<std::uint64_t> begin; ///< absent: there is none in this pass
    };
    struct Place {
        std::uint64_t offset;
        bool random = false;
    };

    [[nodiscard]] Last& of(FioDirection direction) { return last_[index_of(direction)]; }
    [[nodiscard]] const Last& of(FioDirection direction) const {
        return last_[index_of(direction)];
    }
    [[nodiscard]] std::optional<Place> place(FioDirection direction, Random& random);
    [[nodiscard]] std::optional<std::uint64_t> following(FioDirection direction);
    [[nodiscard]] std::optional<std::uint64_t> drawn(FioDirection direction, Random& random);
    [[nodiscard]] std::optional<std::uint64_t> free_block(FioDirection direction, Random& random);
    void move_zone(FioDirection direction);
    [[nodiscard]] std::uint32_t size(FioDirection direction, std::uint64_t place,
                                     Random& random) const;

    const FioJob& job_;
    FioRegion on_;
    std::uint64_t front_; ///< of the file; moves with strided zones
    std::uint64_t zone_bytes_ = 0;
    std::vector<RandomPlace> distributions_; ///< by direction
    std::optional<FioMap> map_;
    std::array<Last, 3> last_;
    std::uint32_t in_sequence_ = 1;    ///< requests until the next random place
    std::vector<std::uint64_t> zones_; ///< zonemode=zbd: bytes written of each
};

} // namespace cavern
