#include "core/base/state_archive.h"
#include "core/partition/adaptive_partition.h"
#include "core/partition/ghost_buffer.h"
#include "core/partition/ghost_map.h"
#include "core/partition/partition_tuner.h"

namespace cavern {

void GhostBuffer::serialize(StateArchive& archive) {
    archive(capacity_, nodes_, index_, unused_, oldest_, newest_);
}

void GhostMap::serialize(StateArchive& archive) {
    archive(words_, capacity_, size_, bits_set_, cursor_);
}

void PartitionTuner::serialize(StateArchive& archive) {
    archive(map_);
}

void AdaptivePartition::serialize(StateArchive& archive) {
    archive(tuner_, ghost_buffer_, ghost_map_, hits_, kept_, requests_, decisions_, moved_bytes_,
            summed_map_bytes_);
}

} // namespace cavern
