#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/counter.h"
#include "core/base/decision_log.h"
#include "core/base/geometry.h"
#include "core/base/sectors.h"
#include "core/data/content_store.h"
#include "core/data/data_params.h"
#include "core/data/frame_contents.h"
#include "core/data/host_data_if.h"
#include "core/data/page_contents.h"
#include "core/data/sector_versions.h"

namespace cavern {

class StateArchive;

/// Where a read got a page from, for who wants to know why it is wrong.
struct ContentSource {
    enum class Kind : std::uint8_t { kNowhere, kFrame, kFlash };
    Kind kind = Kind::kNowhere; ///< zeros that nobody keeps
    std::uint64_t number = 0;   ///< frame, or physical page
};

/// A page of a read or write of the host, from its decision until its data have moved.
struct PageOfCommand {
    std::uint64_t request = 0;
    std::uint64_t in_command = 0; ///< bytes of the command before it
    std::uint64_t lba = 0;        ///< of the first sector touched
    std::uint32_t first = 0;      ///< that sector, within the page
    std::uint32_t sectors = 0;
    std::uint32_t bytes = 0;
    SectorVersions::Version version = 0; ///< of a write
    bool lost = false;                   ///< a read of data that could not be corrected
    PageContent content;                 ///< of a read, as soon as it has left where it was
    ContentSource source;                ///< likewise
    std::array<SectorVersions::Version, kMaxSectors> least{}; ///< of a read: SectorVersions
};

/// The data of a drive: what the flash pages hold, what the host has written, and the check that a
/// read returns it. Both fidelities move data through it. It knows no time and decides nothing.
class DriveData {
  public:
    struct Statistics {
        std::uint64_t sectors_written = 0;
        std::uint64_t sectors_compared = 0;
        std::uint64_t zero_sectors = 0;

        static constexpr auto declared = counters_of(
            counter(&Statistics::sectors_written, "sectors_written", "sectors",
                    "Sectors that writes of the host have put into a frame."),
            counter(&Statistics::sectors_compared, "sectors_compared", "sectors",
                    "Sectors that reads of the host returned; each was the newest version."),
            counter(&Statistics::zero_sectors, "zero_sectors", "sectors",
                    "Of these, sectors that read as zeros: never written, or trimmed."));
    };
    struct Params {
        Geometry geometry; ///< in mapping units
        std::uint64_t logical_pages = 0;
        DataStore store = DataStore::kFull; ///< not kNone
    };

    /// `host` may be null: the drive makes what is written, and checks what is read.
    DriveData(const Params& params, HostDataIf* host);

    // ---- commands, in the order of decisions
    /// A page of a command that begins `in_command` bytes before `offset`, all in bytes.
    void begin_write(PageOfCommand& page, std::uint64_t request, std::uint64_t in_command,
                     std::uint64_t offset, std::uint32_t bytes);
    void begin_read(PageOfCommand& page, std::uint64_t request, std::uint64_t in_command,
                    std::uint64_t offset, std::uint32_t bytes);
    void trim(std::uint64_t request, Lpn first, std::uint64_t pages);
    /// A page that is written before the run.
    [[nodiscard]] PageContent fill(Lpn page);

    // ---- a loss of power
    void watch(DecisionLogIf* watch) { watch_ = watch; }
    /// The page came back with this: it is what reads have to find from now on.
    void recovered(Lpn page, const PageContent& found);
    /// What a page holds that was torn: the data of no sector.
    [[nodiscard]] static PageContent torn();

    // ---- data, as they move
    /// From the host into a frame.
    void write(const PageOfCommand& page, FrameContents& frames, std::uint32_t frame);
    /// What is in `content` to the host. Throws ModelError if that is not what it must be.
    void deliver(const PageOfCommand& page);

    [[nodiscard]] ContentStore& store() { return store_; }
    [[nodiscard]] const ContentStore& store() const { return store_; }
    [[nodiscard]] PageContents& flash() { return flash_; }
    [[nodiscard]] const PageContents& flash() const { return flash_; }
    [[nodiscard]] const SectorVersions& versions() const { return versions_; }
    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = {}; }
    /// Of a drive that was filled (PageContents::serialize()).
    void serialize(StateArchive& archive);

  private:
    void begin(PageOfCommand& page, std::uint64_t request, std::uint64_t in_command,
               std::uint64_t offset, std::uint32_t bytes) const;
    void compare(const PageOfCommand& page, std::uint32_t sector) const;
    [[noreturn]] void refuse(const PageOfCommand& page, std::uint32_t sector) const;
    [[nodiscard]] std::string name(const ContentSource& source) const;

    Geometry geometry_;
    std::uint32_t sectors_; ///< of a page
    HostDataIf* host_;
    DecisionLogIf* watch_ = nullptr;
    ContentStore store_;
    PageContents flash_;
    SectorVersions versions_;
    std::array<std::byte, kMaxSectors * kSectorBytes> scratch_;
    Statistics statistics_;
};

} // namespace cavern
