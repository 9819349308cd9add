#include "core/base/state_archive.h"
#include "core/buffer/arc.h"
#include "core/buffer/bplru.h"
#include "core/buffer/ccf_lru.h"
#include "core/buffer/cflru.h"
#include "core/buffer/clc.h"
#include "core/buffer/cluster_table.h"
#include "core/buffer/fab.h"
#include "core/buffer/fifo.h"
#include "core/buffer/idle_trigger.h"
#include "core/buffer/index_lists.h"
#include "core/buffer/lru_block.h"
#include "core/buffer/lru_page.h"
#include "core/buffer/lru_window.h"
#include "core/buffer/multichip.h"
#include "core/buffer/ncq_aware.h"
#include "core/buffer/pins.h"
#include "core/buffer/rank_heap.h"
#include "core/buffer/recency_list.h"
#include "core/buffer/recent_blocks.h"
#include "core/buffer/ref.h"
#include "core/buffer/size_buckets.h"
#include "core/buffer/trigger_list.h"
#include "core/buffer/write_buffer.h"

namespace cavern {

void Pins::serialize(StateArchive& archive) {
    archive(counts_);
}

void IndexLists::serialize(StateArchive& archive) {
    archive(links_, ends_);
}

void RecencyList::serialize(StateArchive& archive) {
    archive(list_);
}

void LruWindow::serialize(StateArchive& archive) {
    archive(list_, inside_, count_, newest_inside_);
}

void RankHeap::serialize(StateArchive& archive) {
    archive(ranks_, where_, heap_);
}

void RecentBlocks::serialize(StateArchive& archive) {
    archive(order_, lbns_, slot_of_lbn_);
}

void SizeBuckets::serialize(StateArchive& archive) {
    archive(lists_, occupied_, count_);
}

void ClusterTable::serialize(StateArchive& archive) {
    archive(pages_, clusters_, free_clusters_, cluster_of_lbn_);
}

void Arc::serialize(StateArchive& archive) {
    archive(target_, frames_, lpns_, ghosts_, ghost_lpns_, free_ghosts_, ghost_of_lpn_, missed_,
            missed_from_, forget_once_);
}

void Bplru::serialize(StateArchive& archive) {
    archive(clusters_, recency_, expected_);
}

void CcfLru::serialize(StateArchive& archive) {
    archive(mixed_, cold_clean_, pages_);
}

void Cflru::serialize(StateArchive& archive) {
    archive(order_, clean_, dirty_, lpns_);
}

void Clc::serialize(StateArchive& archive) {
    archive(clusters_, recent_, cold_);
}

void Fab::serialize(StateArchive& archive) {
    archive(clusters_, touched_, trimmed_, touched_at_, touches_);
}

void Fifo::serialize(StateArchive& archive) {
    archive(arrivals_, lpns_);
}

void LruBlock::serialize(StateArchive& archive) {
    archive(clusters_, recency_);
}

void LruPage::serialize(StateArchive& archive) {
    archive(recency_, lpns_);
}

void Multichip::serialize(StateArchive& archive) {
    archive(order_, lpns_, placed_at_, accesses_, by_die_, in_batch_, batch_begun_, batch_newest_,
            batch_, taken_in_, counters_);
}

void NcqAware::serialize(StateArchive& archive) {
    archive(order_, pages_, stays_, lpn_of_, pool_, free_, next_stay_, pinned_pages_, held_,
            counters_);
}

void Ref::serialize(StateArchive& archive) {
    archive(order_, lpns_, placed_at_, accesses_, inside_, recent_, recent_by_age_, by_pages_);
}

void IdleTrigger::serialize(StateArchive& archive) {
    archive(counters_);
}

void TriggerList::serialize(StateArchive& archive) {
    archive(rates_);
}

void WriteBuffer::serialize(StateArchive& archive) {
    archive(limit_, policy_, trigger_, used_, resident_, lpn_of_, dirty_, sectors_, dirty_pages_,
            pins_, free_, next_free_, drain_, drained_, counters_);
}

} // namespace cavern
