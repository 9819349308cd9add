#include "config/key_builder.h"

namespace cavern {
namespace {

using T = KeyType;

constexpr std::uint64_t kMaxClocks = 1'000'000;

KeyRow clocks(const char* name, const char* meaning, std::uint64_t low,
              std::uint32_t SdramTiming::*member) {
    return KeyRow(T::kCount, std::string("dram.") + name, meaning)
        .range(low, kMaxClocks)
        .part()
        .to(&SsdConfig::dram, &DramConfig::timing, member);
}

/// Where 0 stands for the value of another key.
KeyRow clocks_or(const char* name, const char* meaning, std::uint32_t SdramTiming::*member) {
    return KeyRow(T::kCount, std::string("dram.") + name, meaning)
        .range(0, kMaxClocks)
        .part_with_default()
        .to(&SsdConfig::dram, &DramConfig::timing, member);
}

} // namespace

Keys dram_keys() {
    const auto dram = &SsdConfig::dram;
    const auto timing = &DramConfig::timing;
    return {
        KeyRow(T::kText, "dram.part", "SDRAM part: the name of a file in configs/dram")
            .to(dram, &DramConfig::part),
        KeyRow(T::kBytes, "dram.size", "capacity of the SDRAM")
            .at_least(1)
            .to(dram, &DramConfig::bytes),
        KeyRow(T::kCount, "dram.copy_pages",
               "NAND pages of the SDRAM, for each die, through which copies to it pass: of "
               "collection, merges and wear levelling; a copy is read when one is free; 0: four "
               "for each plane, in at most half of what the buffer leaves")
            .range(0, 65'536)
            .to(dram, &DramConfig::copy_pages),
        KeyRow(T::kWord, "dram.model", "how long an access to the SDRAM takes")
            .of(kSdramModels)
            .to(dram, &DramConfig::model),
        KeyRow(T::kWord, "dram.scheduling", "whether accesses compete for the SDRAM")
            .of(kSdramSchedulings)
            .to(dram, &DramConfig::scheduling),
        KeyRow(
            T::kFlag, "dram.map_traffic",
            "each look-up and each change of a map entry is an access of one burst to the SDRAM, "
            "which competes with the data; the map lies at the end of the SDRAM, four bytes an "
            "entry; with ftl.scheme = page")
            .to(dram, &DramConfig::map_traffic),
        KeyRow(T::kCount, "dram.channels",
               "channels of SDRAM, each with its command bus, data bus and ranks")
            .range(1, 16)
            .to(dram, &DramConfig::channels),
        KeyRow(T::kBytes, "dram.stripe",
               "this many bytes of neighbouring addresses go to each SDRAM channel in turn")
            .range(1, kMiB)
            .to(dram, &DramConfig::stripe_bytes),
        KeyRow(T::kTime, "dram.t_ck", "tCK: clock period of the SDRAM")
            .range(1, kUs)
            .part()
            .to(dram, timing, &SdramTiming::t_ck),
        KeyRow(T::kCount, "dram.bus_bits", "width of the SDRAM rank's data bus in bits")
            .range(8, 1024)
            .part()
            .to(dram, timing, &SdramTiming::bus_bits),
        KeyRow(T::kCount, "dram.burst_length", "one SDRAM burst makes this many transfers")
            .range(2, 64)
            .part()
            .to(dram, timing, &SdramTiming::burst_length),
        KeyRow(T::kCount, "dram.banks", "the SDRAM rank has this many banks")
            .range(1, 256)
            .part()
            .to(dram, timing, &SdramTiming::banks),
        KeyRow(T::kCount, "dram.bank_groups",
               "the banks of an SDRAM rank form this many groups; 1: no groups, as DDR3")
            .range(1, kMaxSdramBanks)
            .part_with_default()
            .to(dram, timing, &SdramTiming::bank_groups),
        KeyRow(T::kCount, "dram.ranks",
               "ranks of SDRAM on one data bus; all of them have the banks, rows and timing of the "
               "part")
            .range(1, kMaxSdramBanks)
            .to(dram, timing, &SdramTiming::ranks),
        KeyRow(T::kBytes, "dram.row_bytes",
               "size of an SDRAM row, all devices of the rank taken together")
            .range(1, kMiB)
            .part()
            .to(dram, timing, &SdramTiming::row_bytes),
        clocks("cl", "CL: clocks from RD to its first data", 1, &SdramTiming::cl),
        clocks("cwl", "CWL: clocks from WR to its first data", 1, &SdramTiming::cwl),
        clocks("t_rcd", "tRCD: clocks from ACT to RD or WR", 1, &SdramTiming::t_rcd),
        clocks("t_rp", "tRP: clocks from PRE to ACT", 1, &SdramTiming::t_rp),
        clocks_or(
            "t_rp_ab",
            "tRPab: clocks from PRE of all banks to REF, where it is longer than tRP (LPDDR); "
            "0: dram.t_rp",
            &SdramTiming::t_rp_ab),
        clocks("t_ras", "tRAS: clocks from ACT to PRE", 1, &SdramTiming::t_ras),
        clocks("t_rc", "tRC: clocks from ACT to ACT of the same bank", 1, &SdramTiming::t_rc),
        clocks("t_rrd",
               "tRRD: clocks from ACT to ACT of another bank; of another group, where banks form "
               "groups (tRRD_S)",
               1, &SdramTiming::t_rrd),
        clocks_or("t_rrd_l",
                  "tRRD_L: clocks from ACT to ACT of another bank of the same group; 0: dram.t_rrd",
                  &SdramTiming::t_rrd_l),
        clocks("t_faw", "tFAW: at most four ACT fall into a window of this many clocks", 1,
               &SdramTiming::t_faw),
        clocks("t_ccd",
               "tCCD: clocks from RD to RD, or from WR to WR; of another group, where banks form "
               "groups (tCCD_S)",
               1, &SdramTiming::t_ccd),
        clocks_or("t_ccd_l",
                  "tCCD_L: clocks from RD to RD, or from WR to WR, of the same bank group; 0: "
                  "dram.t_ccd",
                  &SdramTiming::t_ccd_l),
        clocks("t_rtp", "tRTP: clocks from RD to PRE", 1, &SdramTiming::t_rtp),
        clocks("t_wr", "tWR: clocks from the end of write data to PRE", 1, &SdramTiming::t_wr),
        clocks("t_wtr",
               "tWTR: clocks from the end of write data to RD; of another group, where banks form "
               "groups (tWTR_S)",
               1, &SdramTiming::t_wtr),
        clocks_or("t_wtr_l",
                  "tWTR_L: clocks from the end of write data to RD of the same bank group; 0: "
                  "dram.t_wtr",
                  &SdramTiming::t_wtr_l),
        clocks_or(
            "t_rtrs",
            "tRTRS: clocks that the data bus rests between data of two ranks; JEDEC leaves it "
            "to the board",
            &SdramTiming::t_rtrs)
            .at_least(1),
        clocks("t_rfc", "tRFC: clocks from REF to the next command", 1, &SdramTiming::t_rfc),
        clocks("t_refi", "tREFI: mean number of clocks between two REF", 1, &SdramTiming::t_refi),
        KeyRow(T::kCount, "dram.queue_depth",
               "the SDRAM scheduler chooses among this many transactions")
            .range(1, 1024)
            .part_with_default()
            .to(dram, timing, &SdramTiming::queue_depth),
    };
}

Keys buffer_keys() {
    const auto buffer = &SsdConfig::buffer;
    WordList policies{{"none"}, {"No write buffer: a write completes when its program does."}, ""};
    const WordList rows = words_of(eviction_policy_table());
    policies.words.insert(policies.words.end(), rows.words.begin(), rows.words.end());
    policies.meanings.insert(policies.meanings.end(), rows.meanings.begin(), rows.meanings.end());
    const Keys plain{
        KeyRow(T::kBytes, "buffer.size", "size of the write buffer, which is part of the SDRAM")
            .at_least(1)
            .to(buffer, &BufferConfig::bytes)
            .from("CAVE, section 5.2: 128 KB and 16 MB"),
        KeyRow(T::kWord, "buffer.policy",
               "eviction policy: which page or block leaves the write buffer next; none: writes go "
               "through")
            .of(policies)
            .to_row<eviction_policy_table, 1>(buffer, &BufferConfig::policy),
        KeyRow(T::kWords, "buffer.eviction",
               "eviction triggers: when victims leave the write buffer and how many; the triggers "
               "of a list act together")
            .of(words_of(eviction_trigger_table()))
            .to_row<eviction_trigger_table>(buffer, &BufferConfig::eviction),
        KeyRow(T::kFlag, "buffer.ncq_aware",
               "commands that wait in the device protect the buffered pages that they will use")
            .to(buffer, &BufferConfig::ncq_aware)
            .from("Kim & Kim 2013, section III"),
        KeyRow(T::kReal, "buffer.ncq_max_pinned",
               "the commands that wait in the device protect at most this share of the buffer, all "
               "together")
            .within(0.0, 1.0)
            .to(buffer, &BufferConfig::ncq_max_pinned),
        KeyRow(T::kFlag, "buffer.ncq_literal_minmax",
               "buffer.ncq_aware confuses the first and last block of a command, as the published "
               "pseudo-code does: a command of several blocks protects none")
            .to(buffer, &BufferConfig::ncq_literal_minmax)
            .from("Kim & Kim 2013, Figure 2"),
        KeyRow(T::kWord, "buffer.dispatch", "when the device starts a command that it has received")
            .of({{"auto", "As in-turn where buffer.ncq_aware is on, else as at-once."},
                 {"at-once", "It starts as soon as the device has it."},
                 {"in-turn", "It starts when all commands before it have their frames."}})
            .to(buffer, &BufferConfig::dispatch),
        KeyRow(T::kFlag, "buffer.cache_reads", "pages read from flash stay in the write buffer")
            .to(buffer, &BufferConfig::cache_reads),
        KeyRow(T::kFlag, "buffer.read_touch",
               "a read hit counts as a use of the buffered page for the eviction policy")
            .to(buffer, &BufferConfig::read_touch),
        KeyRow(T::kFlag, "buffer.flush_keep", "pages that a FLUSH wrote stay in the buffer, clean")
            .to(buffer, &BufferConfig::flush_keep),
    };
    return joined(
        {plain,
         knob_keys("buffer", eviction_trigger_table(), buffer, &BufferConfig::trigger_params),
         knob_keys("buffer", eviction_policy_table(), buffer, &BufferConfig::policy_params)});
}

} // namespace cavern
