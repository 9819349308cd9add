#include "core/base/state_archive.h"
#include "core/ftl/block_ftl.h"
#include "core/ftl/block_log_ftl.h"
#include "core/ftl/block_refresh.h"
#include "core/ftl/block_store.h"
#include "core/ftl/candidate_set.h"
#include "core/ftl/collector.h"
#include "core/ftl/cost_benefit.h"
#include "core/ftl/d_choices.h"
#include "core/ftl/dftl.h"
#include "core/ftl/fast.h"
#include "core/ftl/flash_space.h"
#include "core/ftl/free_pool.h"
#include "core/ftl/greedy.h"
#include "core/ftl/heat_map.h"
#include "core/ftl/host_streams.h"
#include "core/ftl/last.h"
#include "core/ftl/log_table.h"
#include "core/ftl/mapping_cache.h"
#include "core/ftl/mixed_log_ftl.h"
#include "core/ftl/oldest_first.h"
#include "core/ftl/page_ftl.h"
#include "core/ftl/page_set.h"
#include "core/ftl/random_victim.h"
#include "core/ftl/reclaim_handles.h"
#include "core/ftl/shared_log.h"
#include "core/ftl/slc_cache.h"
#include "core/ftl/subgroup.h"
#include "core/ftl/superblock.h"
#include "core/ftl/table_victims.h"
#include "core/ftl/translation_map.h"
#include "core/ftl/victim_policy.h"
#include "core/ftl/wear_leveler.h"
#include "core/ftl/zone_states.h"
#include "core/ftl/zoned.h"

namespace cavern {

void BlockRefresh::serialize(StateArchive& archive) {
    archive(states_, due_);
}

void BlockStore::serialize(StateArchive& archive) {
    archive(pool_, free_total_, kept_, turn_, blocks_, counters_);
}

void CandidateSet::serialize(StateArchive& archive) {
    archive(list_, position_, count_, turn_);
}

void Collector::serialize(StateArchive& archive) {
    archive(emptying_, paces_);
}

void CostBenefit::serialize(StateArchive& archive) {
    archive(links_, lists_);
}

void DChoices::serialize(StateArchive& archive) {
    archive(candidates_);
}

void Greedy::Waiting::serialize(StateArchive& archive) {
    archive(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        archive(blocks.at(i));
    }
}

void Greedy::serialize(StateArchive& archive) {
    archive(nodes_, waiting_);
}

void OldestFirst::serialize(StateArchive& archive) {
    archive(clock_, opened_, nodes_);
}

void RandomVictim::serialize(StateArchive& archive) {
    archive(candidates_);
}

void TableVictims::serialize(StateArchive& archive) {
    archive(all_, tables_);
}

void FreePool::serialize(StateArchive& archive) {
    archive(planes_, next_);
}

void HeatMap::serialize(StateArchive& archive) {
    archive(writes_, words_);
}

void HeatStreams::serialize(StateArchive& archive) {
    archive(heat_);
}

void LogTable::serialize(StateArchive& archive) {
    archive(groups_, logs_, blocks_, map_);
}

void SharedLog::serialize(StateArchive& archive) {
    archive(slots_, used_, oldest_, newest_, closed_, lpns_, map_, pairs_);
}

void PageSet::serialize(StateArchive& archive) {
    archive(words_, count_);
}

void ReclaimHandles::serialize(StateArchive& archive) {
    archive(wanted_, placed_, counters_, invalid_identifiers_, current_);
}

void MappingCache::serialize(StateArchive& archive) {
    archive(capacity_, size_, fresh_, unused_, lists_, entries_, heads_, index_);
}

void TranslationMap::serialize(StateArchive& archive) {
    archive(places_, directory_, tables_in_flash_);
}

void WearLeveler::serialize(StateArchive& archive) {
    archive(planes_);
}

void WriteClock::serialize(StateArchive& archive) {
    archive(before_);
}

void ZoneStates::serialize(StateArchive& archive) {
    archive(zones_, open_, active_, commands_, counters_);
}

void FlashSpace::serialize(StateArchive& archive) {
    archive(refresh_, wear_, owners_, blocks_, pool_, planes_, frontiers_, begun_, counters_,
            clock_, victims_);
}

void BlockFtl::serialize(StateArchive& archive) {
    archive(store_, mapped_);
}

void BlockLogFtl::serialize(StateArchive& archive) {
    BlockFtl::serialize(archive);
    archive(logs_, data_, log_of_, placed_, logs_away_);
}

void MixedLogFtl::serialize(StateArchive& archive) {
    BlockFtl::serialize(archive);
    archive(sequential_, random_, data_, log_of_);
}

void Fast::serialize(StateArchive& archive) {
    MixedLogFtl::serialize(archive);
    archive(limit_, newest_, reclaims_, map_bytes_, logged_);
}

void Last::serialize(StateArchive& archive) {
    MixedLogFtl::serialize(archive);
    archive(sequential_write_, open_, is_hot_, written_, random_writes_);
}

void SubGroup::serialize(StateArchive& archive) {
    BlockFtl::serialize(archive);
    archive(data_, area_of_, areas_, areas_used_, writes_, area_blocks_, map_, offsets_);
}

void Superblock::serialize(StateArchive& archive) {
    archive(store_, l2p_, p2l_, valid_, blocks_, count_, mapped_);
}

void PageFtl::serialize(StateArchive& archive) {
    archive(l2p_, handles_, host_streams_, space_, collector_);
}

void SlcCache::serialize(StateArchive& archive) {
    PageFtl::serialize(archive);
    archive(regions_, own_);
}

void Dftl::serialize(StateArchive& archive) {
    archive(flash_, space_, collector_, cache_, cache_bytes_, mapped_, moved_, own_, cached_);
}

void Zoned::serialize(StateArchive& archive) {
    archive(states_, l2p_, places_, free_, mapped_, counters_);
}

} // namespace cavern
