#include "core/buffer/eviction_policy_table.h"

#include "core/buffer/arc.h"
#include "core/buffer/bplru.h"
#include "core/buffer/ccf_lru.h"
#include "core/buffer/cflru.h"
#include "core/buffer/clc.h"
#include "core/buffer/fab.h"
#include "core/buffer/fifo.h"
#include "core/buffer/lru_block.h"
#include "core/buffer/lru_page.h"
#include "core/buffer/multichip.h"
#include "core/buffer/ref.h"

namespace cavern {

namespace {

constexpr bool kNeedsReadCache = true;
constexpr bool kNeedsDieLoad = true;

/// A row is what a policy says of itself: its name, a sentence, its knobs.
template <typename Policy>
EvictionPolicyRow row(std::string_view name, std::string_view description,
                      bool needs_read_cache = false, bool needs_die_load = false) {
    return {name,
            description,
            knobs_of_scheme<Policy>(),
            make_scheme<EvictionPolicyIf, Policy, EvictionPolicyContext>,
            needs_read_cache,
            needs_die_load,
            OwnCounters<Policy>::set()};
}

} // namespace

const std::vector<EvictionPolicyRow>& eviction_policy_table() {
    static const std::vector<EvictionPolicyRow> rows{
        row<LruPage>("lru-page", "The least recently used page leaves first."),
        row<LruBlock>("lru-block", "All pages of the least recently used logical block leave "
                                   "together, in ascending order."),
        row<Fab>("fab", "The logical block with most pages leaves first, of several the LRU one."),
        row<Bplru>("bplru", "The LRU logical block leaves, written whole; one written in order "
                            "leaves next."),
        row<Clc>("clc", "Of the cold logical blocks the largest leaves first."),
        row<Ref>("ref",
                 "Pages near the LRU end leave, several of the same logical block in a row."),
        row<Cflru>("cflru", "A clean page near the LRU end leaves, or else the LRU page.",
                   kNeedsReadCache),
        row<CcfLru>("ccf-lru", "Pages read once leave first, then pages not used again since.",
                    kNeedsReadCache),
        row<Arc>("arc",
                 "Pages used once and pages used again share the buffer at a size that adapts.",
                 kNeedsReadCache),
        row<Multichip>("multichip",
                       "A page near the LRU end whose die is idle leaves, or else the LRU page.",
                       !kNeedsReadCache, kNeedsDieLoad),
        row<Fifo>("fifo", "The page that has been in the buffer longest leaves first."),
    };
    return rows;
}

const EvictionPolicyRow* find_eviction_policy(std::string_view name) {
    return find_row(eviction_policy_table(), name);
}

} // namespace cavern
