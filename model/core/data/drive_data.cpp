#include "core/data/drive_data.h"

#include "core/base/check.h"
#include "core/base/error.h"

namespace cavern {

DriveData::DriveData(const Params& params, HostDataIf* host)
    : geometry_(params.geometry),
      sectors_(static_cast<std::uint32_t>(params.geometry.page_bytes / kSectorBytes)), host_(host),
      store_(sectors_, params.store == DataStore::kFull), flash_(params.geometry),
      versions_(params.logical_pages * sectors_), scratch_{} {
    CAVERN_CHECK(versions_.sectors() <= SectorTag::kMostSectors,
                 "a drive with data has 32 TiB at most");
    CAVERN_CHECK(host == nullptr || store_.keeps_bytes(),
                 "a host that has data needs a drive that keeps them");
}

// ---- commands -----------------------------------------------------------------------------------

void DriveData::begin(PageOfCommand& page, std::uint64_t request, std::uint64_t in_command,
                      std::uint64_t offset, std::uint32_t bytes) const {
    CAVERN_CHECK(host_ == nullptr || (offset % kSectorBytes == 0 && bytes % kSectorBytes == 0),
                 "data of a host come in whole sectors");
    page.request = request;
    page.in_command = in_command;
    page.lba = offset / kSectorBytes;
    page.first = static_cast<std::uint32_t>(page.lba % sectors_);
    page.sectors =
        static_cast<std::uint32_t>((offset + bytes + kSectorBytes - 1) / kSectorBytes - page.lba);
    page.bytes = bytes;
    page.lost = false;
    page.content = {};
    page.source = {};
}

void DriveData::begin_write(PageOfCommand& page, std::uint64_t request, std::uint64_t in_command,
                            std::uint64_t offset, std::uint32_t bytes) {
    begin(page, request, in_command, offset, bytes);
    page.version = versions_.write(request, page.lba, page.sectors);
    if (watch_ != nullptr) {
        watch_->data_written(Lpn{page.lba / sectors_}, page.first, page.sectors, page.version);
    }
}

void DriveData::begin_read(PageOfCommand& page, std::uint64_t request, std::uint64_t in_command,
                           std::uint64_t offset, std::uint32_t bytes) {
    begin(page, request, in_command, offset, bytes);
    for (std::uint32_t i = 0; i < page.sectors; ++i) {
        page.least[i] = versions_.newest(page.lba + i);
    }
}

void DriveData::trim(std::uint64_t request, Lpn first, std::uint64_t pages) {
    const SectorVersions::Version version =
        versions_.trim(request, raw(first) * sectors_, pages * sectors_);
    if (watch_ != nullptr) {
        watch_->data_trimmed(first, pages, version);
    }
}

PageContent DriveData::fill(Lpn page) {
    const std::uint64_t lba = raw(page) * sectors_;
    return PageContent::of_one_write(
        {lba, versions_.write(SectorVersions::kNoRequest, lba, sectors_)});
}

// ---- a loss of power ----------------------------------------------------------------------------

void DriveData::recovered(Lpn page, const PageContent& found) {
    for (std::uint32_t sector = 0; sector < sectors_; ++sector) {
        versions_.recovered(raw(page) * sectors_ + sector, found.tag(sector));
    }
}

/// The last sectors that a tag can name are of no drive: it has spare blocks.
PageContent DriveData::torn() {
    return PageContent::of_one_write({SectorTag::kMostSectors - kMaxSectors, 1});
}

// ---- data ---------------------------------------------------------------------------------------

void DriveData::write(const PageOfCommand& page, FrameContents& frames, std::uint32_t frame) {
    const FrameContents::Room room = frames.write(frame, page.first, page.sectors);
    for (std::uint32_t i = 0; i < page.sectors; ++i) {
        room.tags[i] = SectorTag(page.lba + i, page.version);
    }
    if (host_ != nullptr) {
        host_->take(page.request, page.in_command, room.bytes, page.bytes);
    } else if (room.bytes != nullptr) {
        for (std::uint32_t i = 0; i < page.sectors; ++i) {
            make_sector(room.tags[i], room.bytes + i * kSectorBytes);
        }
    }
    statistics_.sectors_written += page.sectors;
}

void DriveData::deliver(const PageOfCommand& page) {
    if (page.lost) {
        return; // the host gets an error
    }
    for (std::uint32_t i = 0; i < page.sectors; ++i) {
        compare(page, i);
        statistics_.zero_sectors += page.content.tag(page.first + i).is_zeros() ? 1 : 0;
    }
    statistics_.sectors_compared += page.sectors;
    if (!store_.keeps_bytes()) {
        return;
    }
    store_.read(page.content, page.first, page.sectors, scratch_.data());
    if (host_ != nullptr) {
        host_->give(page.request, page.in_command, scratch_.data(), page.bytes);
        return;
    }
    for (std::uint32_t i = 0; i < page.sectors; ++i) {
        CAVERN_CHECK(is_made_sector(page.content.tag(page.first + i), &scratch_[i * kSectorBytes]),
                     "the bytes of a sector are those that its version has: request " +
                         std::to_string(page.request) + ", LBA " + std::to_string(page.lba + i));
    }
}

void DriveData::compare(const PageOfCommand& page, std::uint32_t sector) const {
    if (!versions_.may_find(page.lba + sector, page.content.tag(page.first + sector),
                            page.least[sector])) {
        refuse(page, sector);
    }
}

void DriveData::refuse(const PageOfCommand& page, std::uint32_t sector) const {
    const std::uint64_t lba = page.lba + sector;
    const SectorTag found = page.content.tag(page.first + sector);
    std::string what = "zeros";
    if (!found.is_zeros()) {
        what = versions_.describe(versions_.version_of(found)) + " of LBA " +
               std::to_string(found.lba());
    }
    throw ModelError("a read returns the newest version of each sector: request " +
                     std::to_string(page.request) + ", sector " +
                     std::to_string(page.first + sector) + " of page " +
                     std::to_string(lba / sectors_) + " (LBA " + std::to_string(lba) + ") was " +
                     versions_.describe(page.least[sector]) + " when the read was decided, is " +
                     versions_.describe(versions_.newest(lba)) + " now; found " + what + " in " +
                     name(page.source));
}

std::string DriveData::name(const ContentSource& source) const {
    switch (source.kind) {
    case ContentSource::Kind::kNowhere:
        return "no place: never written, says the map";
    case ContentSource::Kind::kFrame:
        return "frame " + std::to_string(source.number);
    case ContentSource::Kind::kFlash:
        break;
    }
    const Ppn page{source.number};
    return "page " + std::to_string(geometry_.page_in_block(page)) + " of block " +
           std::to_string(raw(geometry_.block_of(page)));
}

} // namespace cavern
