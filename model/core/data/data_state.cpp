#include "core/base/serialize.h"
#include "core/base/state_archive.h"
#include "core/data/drive_data.h"
#include "core/data/page_contents.h"
#include "core/data/sector_versions.h"

namespace cavern {

void PageContents::serialize(StateArchive& archive) {
    for (std::size_t page = 0; !archive.loads() && page < words_.size(); ++page) {
        if (words_[page] != 0 && (words_[page] & 1) == 0) {
            refuse_to_serialize("pages of several writes");
        }
    }
    archive(words_);
}

void SectorVersions::serialize(StateArchive& archive) {
    archive(newest_, trims_, latest_, requests_);
}

void DriveData::serialize(StateArchive& archive) {
    archive(flash_, versions_);
}

} // namespace cavern
