#include "core/buffer/eviction_policy_table.h"

#include <algorithm>

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

using Policy = std::unique_ptr<EvictionPolicyIf>;
using Params = EvictionPolicyParams;

/// `pages`, or with 0 that share of the buffer; within it, at least one.
std::uint32_t window(std::uint32_t pages, std::uint64_t numerator, std::uint64_t denominator,
                     std::uint32_t capacity) {
    const auto share = static_cast<std::uint32_t>(capacity * numerator / denominator);
    return std::clamp(pages != 0 ? pages : share, 1u, capacity);
}

Policy make_lru_page(const Params& p) {
    return std::make_unique<LruPage>(p.capacity);
}

Policy make_lru_block(const Params& p) {
    return std::make_unique<LruBlock>(p.capacity, p.geometry.pages_per_block);
}

Policy make_fab(const Params& p) {
    return std::make_unique<Fab>(p.capacity, p.geometry.pages_per_block);
}

Policy make_bplru(const Params& p) {
    return std::make_unique<Bplru>(p.capacity, p.geometry.pages_per_block, p.bplru_pad,
                                   p.bplru_compensate);
}

Policy make_clc(const Params& p) {
    return std::make_unique<Clc>(p.capacity, p.geometry.pages_per_block, p.clc_alpha);
}

Policy make_ref(const Params& p) {
    return std::make_unique<Ref>(p.capacity, p.geometry.pages_per_block,
                                 window(p.ref_window, 3, 4, p.capacity), p.ref_victims,
                                 p.ref_refill_lru);
}

Policy make_cflru(const Params& p) {
    return std::make_unique<Cflru>(p.capacity, window(p.cflru_window, 1, 4, p.capacity));
}

Policy make_ccf_lru(const Params& p) {
    return std::make_unique<CcfLru>(p.capacity, p.ccf_new_dirty_cold);
}

Policy make_arc(const Params& p) {
    return std::make_unique<Arc>(p.capacity);
}

Policy make_multichip(const Params& p) {
    return std::make_unique<Multichip>(p.capacity, window(p.multichip_window, 1, 4, p.capacity),
                                       p.geometry.dies(), p.load, p.destination);
}

Policy make_fifo(const Params& p) {
    return std::make_unique<Fifo>(p.capacity);
}

} // namespace

const std::vector<EvictionPolicyRow>& eviction_policy_table() {
    static const std::vector<EvictionPolicyRow> rows{
        {"lru-page", "The least recently used page leaves first.", make_lru_page},
        {"lru-block",
         "All pages of the least recently used logical block leave together, in ascending order.",
         make_lru_block},
        {"fab", "The logical block with most pages leaves first, of several the LRU one.",
         make_fab},
        {"bplru", "The LRU logical block leaves, written whole; one written in order leaves next.",
         make_bplru},
        {"clc", "Of the cold logical blocks the largest leaves first.", make_clc},
        {"ref", "Pages near the LRU end leave, several of the same logical block in a row.",
         make_ref},
        {"cflru", "A clean page near the LRU end leaves, or else the LRU page.", make_cflru, true},
        {"ccf-lru", "Pages read once leave first, then pages not used again since.", make_ccf_lru,
         true},
        {"arc", "Pages used once and pages used again share the buffer at a size that adapts.",
         make_arc, true},
        {"multichip", "A page near the LRU end whose die is idle leaves, or else the LRU page.",
         make_multichip, false, true},
        {"fifo", "The page that has been in the buffer longest leaves first.", make_fifo},
    };
    return rows;
}

const EvictionPolicyRow* find_eviction_policy(std::string_view name) {
    for (const EvictionPolicyRow& row : eviction_policy_table()) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace cavern
