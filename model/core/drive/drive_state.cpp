#include "core/base/serialize.h"
#include "core/base/state_archive.h"
#include "core/drive/drive_core.h"
#include "core/drive/execution_time.h"
#include "core/drive/page_versions.h"

namespace cavern {

void DriveCore::serialize(StateArchive& archive, bool buffer) {
    if (trims_ != nullptr || map_log_ != nullptr || listener_ != nullptr) {
        refuse_to_serialize("a drive that keeps records of its decisions");
    }
    DieLoad idle(geometry_.dies());
    archive(*allocator_, *ftl_, versions_, plane_, still_fits_, load_ != nullptr ? *load_ : idle);
    if (buffer) {
        archive(buffer_, partition_, execution_time_, inserted_, unbuffered_, rmw_pages_);
    }
}

void PageVersions::serialize(StateArchive& archive) {
    archive(latest_, newest_);
}

void ExecutionTime::serialize(StateArchive& archive) {
    archive(write_, total_, gc_sum_);
}

} // namespace cavern
