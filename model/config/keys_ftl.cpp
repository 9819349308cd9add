#include <algorithm>

#include "config/key_builder.h"
#include "core/base/sectors.h"

namespace cavern {
namespace {

using T = KeyType;

/// One of the orders in which channel, way, die and plane may vary.
bool is_page_order(std::string name) {
    std::sort(name.begin(), name.end());
    return name == "cdpw";
}

WordList allocators() {
    WordList list = words_of(allocator_table());
    for (const std::string& word : list.words) {
        if (!is_page_order(word)) {
            list.text += word + ", ";
        }
    }
    list.text += "or the letters c, w, d, p in any order, such as cwdp";
    return list;
}

} // namespace

Keys alloc_keys() {
    const auto alloc = &SsdConfig::alloc;
    const Keys plain{
        KeyRow(T::kWord, "alloc.scheme",
               "allocator: which die an evicted page goes to; four letters: the order in which "
               "channel, way, die and plane vary")
            .of(allocators())
            .to_row<allocator_table>(alloc, &AllocConfig::scheme)
            .from("CAVE, section 4.2"),
    };
    return joined({plain, knob_keys("alloc", allocator_table(), alloc, &AllocConfig::params)});
}

Keys ftl_keys() {
    const auto ftl = &SsdConfig::ftl;
    const auto params = &FtlConfig::params;
    const Keys plain{
        KeyRow(T::kWord, "ftl.scheme", "flash translation layer")
            .of(words_of(ftl_table()))
            .to_row<ftl_table>(ftl, &FtlConfig::scheme),
        KeyRow(T::kBytes, "ftl.unit",
               "mapping unit: the map has an entry for so many bytes, a power of two up to a page; "
               "what a write leaves of a unit is kept. page: a page, and every write counts as "
               "one of whole pages")
            .range(kSectorBytes, kMaxSectors * kSectorBytes)
            .stored_as_zero("page")
            .to(ftl, &FtlConfig::unit_bytes),
        KeyRow(T::kReal, "ftl.overprovision",
               "the drive does not export this share of its raw "
               "capacity")
            .within(0.0, 1.0, true)
            .to(ftl, params, &FtlParams::overprovision),
        KeyRow(T::kWord, "ftl.gc_policy", "which block collection empties next")
            .of(words_of(victim_policy_table()))
            .to_row<victim_policy_table>(ftl, params, &FtlParams::gc_policy),
        KeyRow(T::kWord, "ftl.gc_unit", "what ftl.gc_low and ftl.gc_high count")
            .of({{"blocks", "Free blocks of a plane."}, {"pages", "Free pages of a plane."}})
            .to(ftl, params, &FtlParams::gc_in_pages)
            .from("Lee & Chung 2020, section III.1: 256 and 512 pages"),
        KeyRow(T::kCount, "ftl.gc_low",
               "collection starts when a plane has at most this many free blocks (or "
               "pages, see ftl.gc_unit)")
            .at_least(1)
            .to(ftl, params, &FtlParams::gc_low),
        KeyRow(T::kCount, "ftl.gc_high",
               "collection stops when a plane has this many free blocks (or pages, see "
               "ftl.gc_unit)")
            .at_least(1)
            .to(ftl, params, &FtlParams::gc_high),
        KeyRow(T::kWord, "ftl.gc_pace", "when collection copies the pages of a victim")
            .of({{"burst", "All at once, when the free blocks of a plane have run short."},
                 {"paced", "Some with each host page that the plane takes, before they do."}})
            .to(ftl, params, &FtlParams::gc_pace),
        KeyRow(T::kWord, "ftl.gc_placement", "how far the pages that collection copies may go")
            .of({{"plane", "They stay in their plane."},
                 {"die", "The planes of a die are filled and collected in step, so that their "
                         "pages can be programmed together."},
                 {"drive", "All planes of the drive are filled and collected in step."}})
            .to(ftl, params, &FtlParams::gc_placement),
        KeyRow(T::kFlag, "ftl.gc_shared_frontier",
               "collection writes to the same block as the host; with ftl.gc_pace = burst "
               "it copies victims whole, and their pages fill most of a block by themselves: paced "
               "mixes them with those of the host")
            .to(ftl, params, &FtlParams::gc_shared_frontier),
        KeyRow(T::kCount, "ftl.log_blocks",
               "a hybrid translation layer has this many physical log blocks in the whole drive")
            .at_least(1)
            .to(ftl, params, &FtlParams::log_blocks),
        KeyRow(T::kFlag, "ftl.eager_switch",
               "a log block that is complete and in order becomes the data block at once")
            .to(ftl, params, &FtlParams::eager_switch),
        KeyRow(T::kBytes, "ftl.map_cache", "DFTL caches map entries in this much memory")
            .at_least(8)
            .to(ftl, params, &FtlParams::map_cache_bytes),
        KeyRow(T::kWord, "ftl.partition",
               "how write buffer and mapping cache divide the memory of both")
            .of({{"static", "Each keeps the size that its key gives."},
                 {"adaptive", "Memory moves at run time to the one whose misses cost more."}})
            .to(ftl, &FtlConfig::adaptive),
        KeyRow(T::kCount, "ftl.gc_background",
               "idle dies collect until each of their planes has this many free blocks, or merge "
               "until this many log blocks are unused; 0: nothing ahead of need")
            .to(ftl, params, &FtlParams::gc_background),
        KeyRow(T::kTime, "ftl.gc_background_after",
               "idle dies begin to collect or merge when the host has been silent for this long")
            .at_least(1)
            .to(ftl, &FtlConfig::background_after),
        KeyRow(T::kCount, "ftl.refresh_reads",
               "the pages of a block are moved after this many reads since its erase; 0: never")
            .to(ftl, params, &FtlParams::refresh_reads)
            .from("Cai et al., DSN 2015: reads disturb the other pages of a block"),
        KeyRow(T::kFlag, "ftl.hot_cold",
               "the translation layer writes frequently written pages and others to different "
               "blocks")
            .to(ftl, params, &FtlParams::hot_cold)
            .from("Hsieh, Kuo, Chang, ACM TOS 2(1), 2006"),
        KeyRow(T::kReal, "ftl.hot_decay",
               "ftl.hot_cold halves its write counters after this many writes per logical page")
            .within(1e-6, 1e6)
            .to(ftl, params, &FtlParams::hot_decay),
        KeyRow(T::kWord, "ftl.wear_leveling", "how erases are spread over the blocks")
            .of({{"none", "Free blocks are used in any order."},
                 {"dynamic", "The least worn free block is used next."},
                 {"static", "As dynamic, and cold data leave little worn blocks."}})
            .to(ftl, params, &FtlParams::wear_leveling),
        KeyRow(
            T::kCount, "ftl.wear_threshold",
            "static wear leveling moves cold data when the erases of the most and the least worn "
            "block of a plane differ by this many")
            .at_least(1)
            .to(ftl, params, &FtlParams::wear_threshold)
            .from("MQSim, source"),
    };
    Keys partition;
    for (const Knob& knob : AdaptivePartition::Params::knobs) {
        partition.push_back(key_of(knob, "ftl.adaptive", [](SsdConfig& config) {
            return static_cast<void*>(&config.ftl.partition);
        }));
    }
    return joined({plain, knob_keys("ftl", ftl_table(), ftl, &FtlConfig::scheme_params), partition,
                   knob_keys("ftl", victim_policy_table(), ftl, &FtlConfig::victim_params)});
}

} // namespace cavern
