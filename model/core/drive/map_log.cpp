#include "core/drive/map_log.h"

#include "core/drive/checkpoint_log.h"
#include "core/drive/mark_log.h"

namespace cavern {

std::unique_ptr<MapLogIf> make_map_log(const Geometry& geometry, std::uint64_t logical_pages,
                                       const MapLogParams& params,
                                       std::shared_ptr<MapLogContents> contents) {
    switch (params.kind) {
    case MapLogKind::kCheckpoint:
        return std::make_unique<CheckpointLog>(geometry, logical_pages, params,
                                               std::move(contents));
    case MapLogKind::kMarks:
        return std::make_unique<MarkLog>(geometry, params, std::move(contents));
    case MapLogKind::kNone:
        break;
    }
    return nullptr;
}

} // namespace cavern
