#include <algorithm>
#include <limits>
#include <utility>

#include "config/config_keys.h"
#include "config/config_value.h"
#include "config/config_words.h"
#include "core/ftl/d_choices.h"

namespace cavern {
namespace {

using T = KeyType;
using Words = std::vector<std::string>;
using Keys = std::vector<ConfigKey>;

constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::int64_t>::max(); // TOML's largest
constexpr std::uint64_t kMaxClocks = 1'000'000;
constexpr std::uint64_t kFsPerSecond = 1'000'000'000'000'000;

std::uint64_t fs_of_cycle(std::uint64_t ps) {
    return ps * 1000;
}
/// One byte a transfer; rounded to the nearest femtosecond.
std::uint64_t fs_of_rate(std::uint64_t per_second) {
    return (kFsPerSecond + per_second / 2) / per_second;
}

/// A row of the table under construction.
class Row {
  public:
    Row(KeyType type, std::string name, std::string fallback, std::string meaning) {
        key_.type = type;
        key_.name = std::move(name);
        key_.fallback = std::move(fallback);
        key_.meaning = std::move(meaning);
        key_.high = largest_of(type);
    }
    /// to(&SsdConfig::nand, &NandConfig::geometry, &Geometry::ways): the way to a member.
    template <typename... Path>
    Row& to(Path... path) {
        key_.field = [=](SsdConfig& config) { return field_of((config.*....*path)); };
        return *this;
    }
    /// A member that points to a row of a table.
    template <auto Table, std::size_t Before = 0, typename... Path>
    Row& to_row(Path... path) {
        key_.field = [=](SsdConfig& config) {
            if constexpr (Before == 0) {
                return row_field<Table>((config.*....*path));
            } else {
                return row_field<Table, Before>((config.*....*path));
            }
        };
        return *this;
    }
    Row& range(std::uint64_t low, std::uint64_t high) {
        key_.low = low;
        key_.high = high;
        return *this;
    }
    Row& at_least(std::uint64_t low) { return range(low, key_.high); }
    Row& within(double low, double high, bool open = false) {
        key_.real_low = low;
        key_.real_high = high;
        key_.open = open;
        return *this;
    }
    Row& of(Words words, const Words& later = {}) {
        return of(WordList{std::move(words), {}, ""}, later);
    }
    /// A word of `later` that its layer's table has gained is available.
    Row& of(WordList list, const Words& later) {
        key_.words = std::move(list.words);
        key_.word_meanings = std::move(list.meanings);
        key_.words_text = std::move(list.text);
        for (const std::string& word : later) {
            if (std::find(key_.words.begin(), key_.words.end(), word) == key_.words.end()) {
                key_.later.push_back(word);
            }
        }
        return *this;
    }
    Row& from(std::string source) {
        key_.source = std::move(source);
        return *this;
    }
    Row& part() {
        key_.part = true;
        return *this;
    }
    Row& optional() {
        key_.optional = true;
        return *this;
    }
    Row& stored_as_none(std::string word) {
        key_.empty_word = std::move(word);
        return *this;
    }
    Row& instead_of(std::string other, std::uint64_t (*convert)(std::uint64_t)) {
        key_.excludes = std::move(other);
        key_.convert = convert;
        return optional().part();
    }
    operator ConfigKey() const { return key_; }

  private:
    ConfigKey key_;
};

Keys run_keys() {
    return {
        Row(T::kText, "name", "", "title of the drive in reports; absent: the file's stem")
            .to(&SsdConfig::name),
        Row(T::kWord, "fidelity", "at",
            "level of timing: approximately timed, or decisions and counts alone")
            .of({"at", "untimed"}, {"lt"})
            .to(&SsdConfig::fidelity),
        Row(T::kCount, "seed", "1", "seed of every random choice of the run")
            .range(0, kMaxSeed)
            .to(&SsdConfig::seed),
    };
}

Keys host_keys() {
    const auto host = &SsdConfig::host;
    return {
        Row(T::kWord, "host.interface", "sata", "link to the host; direct is a plain bandwidth")
            .of({"sata", "direct", "nvme"}, {})
            .to(host, &HostConfig::interface),
        Row(T::kCount, "host.generation", "2",
            "SATA generation 1 .. 3: 1.5, 3 or 6 Gb/s; PCIe generation 1 .. 5 of an NVMe link")
            .range(1, 5)
            .to(host, &HostConfig::generation),
        Row(T::kCount, "host.lanes", "4", "PCIe lanes of an NVMe link")
            .range(1, 16)
            .to(host, &HostConfig::lanes),
        Row(T::kCount, "host.queues", "1", "NVMe submission queues")
            .range(1, 65535)
            .to(host, &HostConfig::queues),
        Row(T::kCount, "host.queue_depth", "32",
            "commands outstanding at most; NVMe: in each submission queue")
            .range(1, 65536)
            .to(host, &HostConfig::queue_depth)
            .from("Serial ATA 3.x: NCQ has 32 tags"),
        Row(T::kRate, "host.bandwidth", "200MB/s", "bandwidth of a direct link")
            .at_least(1)
            .to(host, &HostConfig::bandwidth)
            .from("CAVE, Table 1: 190.735 MB/s is 200e6 bytes a second counted in MiB"),
        Row(T::kWord, "host.duplex", "half", "whether reads and writes share a direct link")
            .of({"half", "full"})
            .to(host, &HostConfig::full_duplex),
        Row(T::kTime, "host.turnaround", "0ps",
            "host software time of a command before it reaches the link")
            .to(host, &HostConfig::turnaround),
    };
}

Keys link_keys() {
    const auto host = &SsdConfig::host;
    const auto nvme = &HostConfig::nvme;
    const std::string express = "NVM Express Base Specification 1.4, ";
    return {
        Row(T::kTime, "host.sata.handshake", "0ps",
            "SATA: time in which the two sides wait for each other around a frame")
            .to(host, &HostConfig::sata, &SataConfig::handshake),
        Row(T::kFlag, "host.sata.queued_trim", "false",
            "SATA: TRIM is a queued command, SEND FPDMA QUEUED")
            .to(host, &HostConfig::sata, &SataConfig::queued_trim)
            .from("Serial ATA 3.1"),
        Row(T::kWord, "host.nvme.arbitration", "round-robin",
            "which submission queue the controller fetches from")
            .of({"round-robin", "weighted"})
            .to(host, nvme, &NvmeConfig::weighted)
            .from(express + "4.13"),
        Row(T::kWords, "host.nvme.priorities", "medium",
            "weighted: class of a submission queue; a list: of the first, the second, and so on, "
            "over again")
            .of({"urgent", "high", "medium", "low"})
            .to(host, nvme, &NvmeConfig::priorities),
        Row(T::kCount, "host.nvme.high_weight", "8", "weighted: commands of a round, class high")
            .range(1, 256)
            .to(host, nvme, &NvmeConfig::high_weight),
        Row(T::kCount, "host.nvme.medium_weight", "4", "weighted: likewise, class medium")
            .range(1, 256)
            .to(host, nvme, &NvmeConfig::medium_weight),
        Row(T::kCount, "host.nvme.low_weight", "2", "weighted: likewise, class low")
            .range(1, 256)
            .to(host, nvme, &NvmeConfig::low_weight),
        Row(T::kCount, "host.nvme.burst", "1",
            "commands fetched from a queue before another has its turn; 0: all it holds")
            .range(0, 64)
            .to(host, nvme, &NvmeConfig::burst),
        Row(T::kCount, "host.nvme.slots", "256", "commands that the controller holds at once")
            .range(1, 65536)
            .to(host, nvme, &NvmeConfig::slots),
        Row(T::kBytes, "host.nvme.max_payload", "256B", "data of a PCIe packet at most")
            .range(128, 4096)
            .to(host, nvme, &NvmeConfig::max_payload)
            .from("PCI Express Base Specification, Max_Payload_Size"),
        Row(T::kBytes, "host.nvme.max_read_request", "512B", "what a PCIe read asks for at most")
            .range(128, 4096)
            .to(host, nvme, &NvmeConfig::max_read_request)
            .from("PCI Express Base Specification, Max_Read_Request_Size"),
        Row(T::kBytes, "host.nvme.memory_page", "4KiB", "page of host memory, for PRP entries")
            .range(4096, 65536)
            .to(host, nvme, &NvmeConfig::memory_page)
            .from(express + "4.3"),
        Row(T::kTime, "host.nvme.memory_latency", "500ns",
            "host memory, as the device sees it: from its read request to the data")
            .to(host, nvme, &NvmeConfig::memory_latency)
            .from("estimate"),
        Row(T::kCount, "host.nvme.interrupt_threshold", "1",
            "completions of a queue that an interrupt waits for")
            .range(1, 256)
            .to(host, nvme, &NvmeConfig::interrupt_threshold)
            .from(express + "5.21.1.8"),
        Row(T::kTime, "host.nvme.interrupt_time", "0ps", "and how long it waits for them at most")
            .to(host, nvme, &NvmeConfig::interrupt_time)
            .from(express + "5.21.1.8"),
    };
}

Keys dram_keys() {
    const auto dram = &SsdConfig::dram;
    const auto timing = &DramConfig::timing;
    const auto clocks = [&](const char* name, const char* meaning, std::uint64_t low,
                            std::uint32_t SdramTiming::*member) {
        return Row(T::kCount, std::string("dram.") + name, "", meaning)
            .range(low, kMaxClocks)
            .part()
            .to(dram, timing, member);
    };
    return {
        Row(T::kText, "dram.part", "ddr3-1600", "SDRAM part: a file in configs/dram")
            .to(dram, &DramConfig::part),
        Row(T::kBytes, "dram.size", "64MiB", "capacity of the SDRAM")
            .at_least(1)
            .to(dram, &DramConfig::bytes),
        Row(T::kWord, "dram.model", "banked", "banks, rows and refresh, or no time at all")
            .of({"banked", "ideal"})
            .to(dram, &DramConfig::model),
        Row(T::kTime, "dram.t_ck", "", "clock period")
            .range(1, kUs)
            .part()
            .to(dram, timing, &SdramTiming::t_ck),
        Row(T::kCount, "dram.bus_bits", "", "data bus width of the rank")
            .range(8, 1024)
            .part()
            .to(dram, timing, &SdramTiming::bus_bits),
        Row(T::kCount, "dram.burst_length", "", "transfers of one burst")
            .range(2, 64)
            .part()
            .to(dram, timing, &SdramTiming::burst_length),
        Row(T::kCount, "dram.banks", "", "banks of the rank")
            .range(1, 256)
            .part()
            .to(dram, timing, &SdramTiming::banks),
        Row(T::kBytes, "dram.row_bytes", "", "row of all devices of the rank together")
            .range(1, kMiB)
            .part()
            .to(dram, timing, &SdramTiming::row_bytes),
        clocks("cl", "RD to its first data, clocks", 1, &SdramTiming::cl),
        clocks("cwl", "WR to its first data, clocks", 1, &SdramTiming::cwl),
        clocks("t_rcd", "ACT to RD or WR, clocks", 1, &SdramTiming::t_rcd),
        clocks("t_rp", "PRE to ACT, clocks", 1, &SdramTiming::t_rp),
        clocks("t_ras", "ACT to PRE, clocks", 1, &SdramTiming::t_ras),
        clocks("t_rc", "ACT to ACT of one bank, clocks", 1, &SdramTiming::t_rc),
        clocks("t_rrd", "ACT to ACT of different banks, clocks", 1, &SdramTiming::t_rrd),
        clocks("t_faw", "window of at most four ACT, clocks", 1, &SdramTiming::t_faw),
        clocks("t_ccd", "RD to RD or WR to WR, clocks", 1, &SdramTiming::t_ccd),
        clocks("t_rtp", "RD to PRE, clocks", 1, &SdramTiming::t_rtp),
        clocks("t_wr", "end of write data to PRE, clocks", 1, &SdramTiming::t_wr),
        clocks("t_wtr", "end of write data to RD, clocks", 1, &SdramTiming::t_wtr),
        clocks("t_rfc", "REF to the next command, clocks", 1, &SdramTiming::t_rfc),
        clocks("t_refi", "mean interval of REF, clocks", 1, &SdramTiming::t_refi),
        Row(T::kCount, "dram.queue_depth", "32", "transactions the scheduler looks at")
            .range(1, 1024)
            .part()
            .to(dram, timing, &SdramTiming::queue_depth),
    };
}

Keys buffer_keys() {
    const auto buffer = &SsdConfig::buffer;
    return {
        Row(T::kBytes, "buffer.size", "16MiB", "write buffer, part of the SDRAM")
            .at_least(1)
            .to(buffer, &BufferConfig::bytes)
            .from("CAVE, section 5.2: 128 KB and 16 MB"),
        Row(T::kWord, "buffer.policy", "lru-page",
            "which page or block leaves next; none: write-through")
            .of(buffer_policy_words(),
                {"fab", "bplru", "clc", "ref", "cflru", "ccf-lru", "arc", "multichip", "fifo"})
            .to_row<eviction_policy_table, 1>(buffer, &BufferConfig::policy),
        Row(T::kWords, "buffer.eviction", "single",
            "when victims leave the buffer and how many; a list: rates acting together")
            .of(eviction_words(), {})
            .to_row<eviction_trigger_table>(buffer, &BufferConfig::eviction),
        Row(T::kFlag, "buffer.ncq_aware", "false",
            "commands that wait in the device protect the pages they will use")
            .to(buffer, &BufferConfig::ncq_aware)
            .from("Kim & Kim 2013, section III"),
        Row(T::kReal, "buffer.ncq_max_pinned", "0.5",
            "share of the buffer that they may protect together")
            .within(0.0, 1.0)
            .to(buffer, &BufferConfig::ncq_max_pinned),
        Row(T::kFlag, "buffer.ncq_literal_minmax", "false",
            "the first and last block of a command confused, as in the published pseudo-code: a "
            "command of several protects none")
            .to(buffer, &BufferConfig::ncq_literal_minmax)
            .from("Kim & Kim 2013, Figure 2"),
        Row(T::kWord, "buffer.dispatch", "auto",
            "when the device takes up a command: as it has it, or when those before have their "
            "frames; auto: in-turn where buffer.ncq_aware looks at commands that wait")
            .of({"auto", "at-once", "in-turn"})
            .to(buffer, &BufferConfig::dispatch),
        Row(T::kFlag, "buffer.cache_reads", "false", "pages read from flash stay in the buffer")
            .to(buffer, &BufferConfig::cache_reads),
        Row(T::kFlag, "buffer.read_touch", "false", "a read hit refreshes a page's recency")
            .to(buffer, &BufferConfig::read_touch),
        Row(T::kFlag, "buffer.flush_keep", "false", "flushed pages stay in the buffer, clean"),
    };
}

/// The key of a knob, whose struct `params` gives.
ConfigKey key_of(const Knob& knob, const std::string& prefix,
                 std::function<void*(SsdConfig&)> params) {
    ConfigKey key;
    key.name = prefix + "." + std::string(knob.name);
    key.type = knob.kind;
    key.meaning = knob.meaning;
    key.source = knob.source;
    key.low = knob.low;
    key.high = knob.high;
    key.real_low = knob.real_low;
    key.real_high = knob.real_high;
    for (std::size_t i = 0; i < knob.word_count; ++i) {
        key.words.emplace_back(knob.words[i].name);
        key.word_meanings.emplace_back(knob.words[i].meaning);
    }
    key.field = [field = knob.field, params = std::move(params)](SsdConfig& config) {
        return field(params(config));
    };
    return key;
}

/// The keys SECTION.ROW.KNOB of a table whose parameters lie at `params`.
template <typename Row, typename Section>
Keys knob_keys(const std::string& section, const std::vector<Row>& table,
               Section SsdConfig::*of_config, ParamsOf<Row> Section::*params) {
    Keys keys;
    for (const Row& row : table) {
        for (const Knob& knob : row.knobs) {
            keys.push_back(
                key_of(knob, section + "." + std::string(row.name), [=, &row](SsdConfig& config) {
                    return row.knobs.address((config.*of_config.*params)[row]);
                }));
        }
    }
    return keys;
}

Keys decision_keys() {
    const auto alloc = &SsdConfig::alloc;
    const auto ftl = &SsdConfig::ftl;
    const auto params = &FtlConfig::params;
    return {
        Row(T::kWord, "alloc.scheme", "block-round-robin",
            "die of an evicted page; four letters: the order in which channel, way, die, plane "
            "vary")
            .of(alloc_scheme_words(), {})
            .to(alloc, &AllocConfig::scheme)
            .from("CAVE, section 4.2"),
        Row(T::kWord, "alloc.block-round-robin.mode", "free",
            "whether a block written again keeps its die, or changes it with or without its data")
            .of(round_robin_mode_words(), {"move"})
            .to(alloc, &AllocConfig::rr_mode)
            .from("CAVE, section 4.2: the cost of a changed die is taken as rare"),
        Row(T::kCount, "alloc.adaptive.epoch", "10000",
            "host pages after which the width of stripes is looked at again")
            .at_least(1)
            .to(alloc, &AllocConfig::adaptive, &Adaptive::Params::epoch),
        Row(T::kReal, "alloc.adaptive.hysteresis", "0.1",
            "share by which waiting and collecting must differ to change the width")
            .within(0.0, 100.0)
            .to(alloc, &AllocConfig::adaptive, &Adaptive::Params::hysteresis),
        Row(T::kWord, "ftl.scheme", "page", "flash translation layer")
            .of(ftl_scheme_words(), {})
            .to(ftl, &FtlConfig::scheme),
        Row(T::kReal, "ftl.overprovision", "0.07", "share of the raw capacity that is not exported")
            .within(0.0, 1.0, true)
            .to(ftl, params, &FtlParams::overprovision),
        Row(T::kWord, "ftl.gc_policy", "greedy", "which block garbage collection takes")
            .of(gc_policy_words(), {"window"})
            .to(ftl, params, &FtlParams::gc_policy),
        Row(T::kWord, "ftl.gc_unit", "blocks", "unit of the two watermarks")
            .of({"blocks", "pages"})
            .to(ftl, params, &FtlParams::gc_in_pages)
            .from("Lee & Chung 2020, section III.1: 256 and 512 pages"),
        Row(T::kCount, "ftl.gc_low", "1", "free blocks (pages) of a plane: collect at or below")
            .at_least(1)
            .to(ftl, params, &FtlParams::gc_low),
        Row(T::kCount, "ftl.gc_high", "2", "free blocks (pages) of a plane: stop collecting at")
            .at_least(1)
            .to(ftl, params, &FtlParams::gc_high),
        Row(T::kFlag, "ftl.gc_shared_frontier", "false",
            "collected pages go to the block that host pages go to")
            .to(ftl, params, &FtlParams::gc_shared_frontier),
        Row(T::kCount, "ftl.log_blocks", "64",
            "physical log blocks of the whole drive, for layers that have such")
            .at_least(1)
            .to(ftl, params, &FtlParams::log_blocks),
        Row(T::kFlag, "ftl.eager_switch", "true",
            "a log block complete and in order becomes the data block at once")
            .to(ftl, params, &FtlParams::eager_switch),
        Row(T::kBytes, "ftl.map_cache", "1MiB", "memory of the cached mapping table of dftl")
            .at_least(8)
            .to(ftl, params, &FtlParams::map_cache_bytes),
        Row(T::kWord, "ftl.partition", "static",
            "buffer and mapping cache have sizes of their own, or divide both by what they miss")
            .of({"static", "adaptive"})
            .to(ftl, &FtlConfig::adaptive),
        Row(T::kCount, "ftl.gc_background", "0",
            "free blocks that idle dies bring each plane to; 0: none are collected ahead")
            .to(ftl, params, &FtlParams::gc_background),
        Row(T::kTime, "ftl.gc_background_after", "1ms",
            "silence of the host before idle dies collect")
            .at_least(1)
            .to(ftl, &FtlConfig::background_after),
        Row(T::kFlag, "ftl.hot_cold", "false",
            "pages written often and others go to different blocks")
            .to(ftl, params, &FtlParams::hot_cold)
            .from("Hsieh, Kuo, Chang, ACM TOS 2(1), 2006"),
        Row(T::kReal, "ftl.hot_decay", "1.0",
            "counts of writes are halved after so many times the logical pages")
            .within(1e-6, 1e6)
            .to(ftl, params, &FtlParams::hot_decay),
        Row(T::kWord, "ftl.wear_leveling", "none",
            "none; dynamic: the least-worn free block is used next; static: and cold data leave "
            "little-worn blocks")
            .of({kNoWear, kDynamicWear, kStaticWear})
            .to(ftl, params, &FtlParams::wear_leveling),
        Row(T::kCount, "ftl.wear_threshold", "100",
            "static: erases between the most and the least worn block of a plane")
            .at_least(1)
            .to(ftl, params, &FtlParams::wear_threshold)
            .from("MQSim, source"),
    };
}

/// Of one policy or layer each: tables of their own, behind the plain keys of the section.
Keys ftl_scheme_keys() {
    const auto ftl = &SsdConfig::ftl;
    const auto params = &FtlConfig::params;
    const auto partition = &FtlConfig::partition;
    return {
        Row(T::kCount, "ftl.dftl.cmt", "0",
            "entries of that table; 0: as many as ftl.map_cache holds, of 8 bytes each")
            .to(ftl, params, &FtlParams::dftl_entries),
        Row(T::kWord, "ftl.dftl.write_miss", "original",
            "a write whose entry is not cached reads its translation page, or makes a new entry")
            .of({"original", "shim"})
            .to(ftl, params, &FtlParams::dftl_write_shim)
            .from("Gupta et al., ASPLOS 2009; shim: Shim et al., 2010, section III-D"),
        Row(T::kFlag, "ftl.dftl.slru", "false",
            "entries used once leave before those used again (segmented LRU)")
            .to(ftl, params, &FtlParams::dftl_slru),
        Row(T::kFlag, "ftl.dftl.lazy_invalidate", "false",
            "a page superseded counts as valid until its translation page is read; with shim")
            .to(ftl, params, &FtlParams::dftl_lazy_invalidate),
        Row(T::kReal, "ftl.adaptive.ratio", "0.5", "share of the mapping cache at the start")
            .within(0.0, 1.0)
            .to(ftl, partition, &AdaptivePartition::Params::map_ratio)
            .from("Shim et al., 2010, section IV-B"),
        Row(T::kCount, "ftl.adaptive.interval", "1000", "host requests from decision to decision")
            .at_least(1)
            .to(ftl, partition, &AdaptivePartition::Params::interval)
            .from("Shim et al., 2010, section IV-A, for DFTL"),
        Row(T::kReal, "ftl.adaptive.alpha", "3.0",
            "entries of the ghost mapping that a bit of its map may stand for")
            .within(1.0, 1000.0)
            .to(ftl, partition, &AdaptivePartition::Params::alpha)
            .from("Shim et al., 2010, section IV-A"),
        Row(T::kBytes, "ftl.adaptive.bitmap", "128KiB", "bit map of the ghost mapping")
            .range(8, 64 * kMiB)
            .to(ftl, partition, &AdaptivePartition::Params::bitmap_bytes)
            .from("Shim et al., 2010, section IV-A"),
        Row(T::kReal, "ftl.adaptive.tune_scale", "1.0",
            "entries moved by a decision between two equal benefits")
            .within(0.001, 1e9)
            .to(ftl, partition, &AdaptivePartition::Params::tune_scale),
        Row(T::kReal, "ftl.adaptive.inc_max", "1000.0", "bound of the ratio of two benefits")
            .within(1.0, 1e9)
            .to(ftl, partition, &AdaptivePartition::Params::ratio_most),
        Row(T::kCount, "ftl.fast.random_logs", "0",
            "log blocks that all logical blocks share; 0: ftl.log_blocks less the sequential one")
            .to(ftl, params, &FtlParams::fast_random_logs),
        Row(T::kCount, "ftl.mcsplit.stripe", "0", "channels of a superblock; 0: all")
            .range(0, 64)
            .to(ftl, params, &FtlParams::mcsplit_stripe),
        Row(T::kCount, "ftl.last.sequential_logs", "0",
            "log blocks that belong to one logical block each; 0: a quarter of ftl.log_blocks")
            .to(ftl, params, &FtlParams::last_sequential_logs),
        Row(T::kCount, "ftl.last.random_logs", "0",
            "log blocks that all logical blocks share; 0: ftl.log_blocks less the sequential ones")
            .to(ftl, params, &FtlParams::last_random_logs),
        Row(T::kBytes, "ftl.last.threshold", "8KiB",
            "what comes together in at least this size is sequential")
            .at_least(1)
            .to(ftl, params, &FtlParams::last_threshold),
        Row(T::kCount, "ftl.last.hot_window", "0",
            "random page writes within which a page written again is hot; 0: half of what the "
            "random "
            "log blocks hold")
            .to(ftl, params, &FtlParams::last_hot_window),
        Row(T::kCount, "ftl.subgroup.blocks", "8",
            "blocks of a superblock, half of them for its hot updates and half for its cold ones")
            .range(2, 4096)
            .to(ftl, params, &FtlParams::subgroup_blocks),
        Row(T::kCount, "ftl.superblock.blocks", "16",
            "adjacent logical blocks that share their blocks")
            .range(1, 4096)
            .to(ftl, params, &FtlParams::superblock_blocks),
        Row(T::kCount, "ftl.superblock.updates", "1",
            "blocks that a superblock has beside those for its data")
            .range(1, 4096)
            .to(ftl, params, &FtlParams::superblock_updates),
        Row(T::kCount, "ftl.d-choices.d", "0",
            "blocks that d-choices draws; 0: log2 of the blocks of a plane")
            .range(0, DChoices::kMaxChoices)
            .to(ftl, params, &FtlParams::d_choices)
            .from("MQSim, source: the logarithm"),
    };
}

Keys nand_keys() {
    const auto nand = &SsdConfig::nand;
    const auto ftl = &SsdConfig::ftl;
    const auto params = &FtlConfig::params;
    const auto faults = &FtlParams::faults;
    const auto geometry = &NandConfig::geometry;
    const auto timing = &NandConfig::timing;
    return {
        Row(T::kText, "nand.part", "slc-k9xxg08uxa", "NAND part: a file in configs/nand")
            .to(nand, &NandConfig::part)
            .from("CAVE, Table 2"),
        Row(T::kCount, "nand.channels", "8", "channels of the drive")
            .range(1, 64)
            .to(nand, geometry, &Geometry::channels)
            .from("CAVE, Table 1"),
        Row(T::kCount, "nand.ways", "4", "ways of a channel")
            .range(1, 16)
            .to(nand, geometry, &Geometry::ways)
            .from("CAVE, Table 1"),
        Row(T::kCount, "nand.dies", "1", "dies of a way")
            .range(1, 16)
            .to(nand, geometry, &Geometry::dies_per_way),
        Row(T::kCount, "nand.planes", "", "planes of a die")
            .range(1, 16)
            .part()
            .to(nand, geometry, &Geometry::planes_per_die),
        Row(T::kCount, "nand.blocks_per_plane", "", "erase blocks of a plane")
            .at_least(1)
            .part()
            .to(nand, geometry, &Geometry::blocks_per_plane),
        Row(T::kCount, "nand.pages_per_block", "", "pages of an erase block")
            .range(1, 65535)
            .part()
            .to(nand, geometry, &Geometry::pages_per_block),
        Row(T::kBytes, "nand.page_size", "", "data of a page, a power of two")
            .range(512, 64 * kKiB)
            .part()
            .to(nand, geometry, &Geometry::page_bytes),
        Row(T::kBytes, "nand.spare_size", "", "spare area of a page, moved with it on the bus")
            .range(0, 64 * kKiB)
            .part()
            .to(nand, geometry, &Geometry::spare_bytes),
        Row(T::kTimes, "nand.t_read", "", "tR: array to page register, per page type")
            .at_least(1)
            .part()
            .to(nand, timing, &NandTiming::t_r),
        Row(T::kTimes, "nand.t_program", "", "tPROG: page register to array, per page type")
            .at_least(1)
            .part()
            .to(nand, timing, &NandTiming::t_prog),
        Row(T::kTime, "nand.t_erase", "", "tBERS: erase of a block")
            .at_least(1)
            .part()
            .to(nand, timing, &NandTiming::t_bers),
        Row(T::kTime, "nand.bus_cycle", "", "time of one byte on the channel")
            .range(1, kMs)
            .instead_of("nand.bus_rate", fs_of_cycle)
            .to(nand, timing, &NandTiming::bus_byte_fs),
        Row(T::kRate, "nand.bus_rate", "", "bytes a second on the channel, as 200MT/s")
            .range(1'000, 100'000'000'000)
            .instead_of("nand.bus_cycle", fs_of_rate)
            .to(nand, timing, &NandTiming::bus_byte_fs),
        Row(T::kTime, "nand.command_cycle", "", "one command or address cycle")
            .range(0, kMs)
            .part()
            .to(nand, timing, &NandTiming::command_cycle),
        Row(T::kCount, "nand.read_cycles", "7", "command and address cycles of a read")
            .range(0, 100)
            .part()
            .to(nand, timing, &NandTiming::read_cycles)
            .from("ONFI, READ PAGE: 00h, five address cycles, 30h"),
        Row(T::kCount, "nand.program_cycles", "7", "command and address cycles of a program")
            .range(0, 100)
            .part()
            .to(nand, timing, &NandTiming::program_cycles)
            .from("ONFI, PAGE PROGRAM: 80h, five address cycles, 10h"),
        Row(T::kCount, "nand.erase_cycles", "5", "command and address cycles of an erase")
            .range(0, 100)
            .part()
            .to(nand, timing, &NandTiming::erase_cycles)
            .from("ONFI, BLOCK ERASE: 60h, three row address cycles, D0h"),
        Row(T::kFlag, "nand.strict_order", "false", "pages of a block may not be skipped")
            .part()
            .to(nand, &NandConfig::strict_order),
        Row(T::kFlag, "nand.multi_plane", "true",
            "programs of one page index in several planes of a die run as one")
            .part()
            .to(nand, &NandConfig::multi_plane),
        Row(T::kCount, "nand.endurance", "0", "erases that a block is good for; 0: not known")
            .part()
            .to(nand, &NandConfig::endurance),
        Row(T::kFlag, "nand.retire_worn", "false", "an erase beyond nand.endurance fails")
            .to(nand, &NandConfig::retire_worn),
        Row(T::kReal, "nand.bad_blocks", "0.0", "share of the blocks bad from the beginning")
            .within(0.0, 1.0)
            .to(ftl, params, faults, &BlockFaultParams::factory_bad),
        Row(T::kReal, "nand.program_failures", "0.0", "share of the programs that fail")
            .within(0.0, 1.0)
            .to(ftl, params, faults, &BlockFaultParams::program_failures),
        Row(T::kReal, "nand.erase_failures", "0.0", "share of the erases that fail")
            .within(0.0, 1.0)
            .to(ftl, params, faults, &BlockFaultParams::erase_failures),
        Row(T::kText, "nand.fault_list", "none",
            "file of single faults: factory BLOCK, program BLOCK PAGE ERASES, erase BLOCK ERASES")
            .stored_as_none("none")
            .to(ftl, params, faults, &BlockFaultParams::list),
    };
}

Keys channel_keys() {
    const auto channel = &SsdConfig::channel;
    return {
        Row(T::kWord, "channel.arbiter", "tlm",
            "who grants the bus; lockstep runs both and compares")
            .of({"tlm", "rtl", "lockstep"})
            .to(channel, &ChannelConfig::arbiter),
        Row(T::kWord, "channel.policy", "round-robin", "order of grants")
            .of(arbiter_policy_words(), {})
            .to(channel, &ChannelConfig::policy),
        Row(T::kHertz, "channel.arbiter_clock", "200MHz", "clock of the arbiter")
            .to(channel, &ChannelConfig::arbiter_hz)
            .at_least(1'000),
        Row(T::kCount, "channel.age_limit", "4096",
            "priority-age: cycles until a waiting request is promoted")
            .range(1, 1'000'000)
            .to(channel, &ChannelConfig::age_limit),
        Row(T::kText, "channel.rtl_top", "built-in",
            "RTL arbiter: built-in, or the module of your own the program was built with")
            .to(channel, &ChannelConfig::rtl_top),
        Row(T::kFlag, "channel.gate_clock", "true",
            "evaluate RTL clock edges only while something can change")
            .to(channel, &ChannelConfig::gate_clock),
        Row(T::kWord, "scheduler.discipline", "read-first", "which ready operation a die takes")
            .of({"read-first", "fifo"})
            .to(&SsdConfig::scheduler, &SchedulerConfig::discipline),
    };
}

Keys workload_keys() {
    const auto workload = &SsdConfig::workload;
    const auto precondition = &SsdConfig::precondition;
    const auto steady = &PreconditionConfig::steady;
    return {
        Row(T::kWord, "workload.out_of_range", "error", "a request beyond the drive: stop, or wrap")
            .of({"error", "wrap"})
            .to(workload, &WorkloadConfig::out_of_range),
        Row(T::kWord, "workload.arrival", "trace",
            "requests arrive at the times of the trace, or as others complete")
            .of({"trace", "closed"})
            .to(workload, &WorkloadConfig::arrival),
        Row(T::kCount, "workload.depth", "32", "closed: commands kept outstanding")
            .range(1, 65536)
            .to(workload, &WorkloadConfig::depth),
        Row(T::kReal, "workload.speedup", "1.0", "trace: arrival times are divided by it")
            .within(1e-6, 1e6)
            .to(workload, &WorkloadConfig::speedup),
        Row(T::kText, "workload.device", "all", "device of a trace to play; all: laid end to end")
            .stored_as_none("all")
            .to(workload, &WorkloadConfig::device),
        Row(T::kReal, "precondition.fill", "0.0",
            "share of the logical pages written before the run")
            .within(0.0, 1.0)
            .to(precondition, &PreconditionConfig::fill),
        Row(T::kWord, "precondition.pattern", "sequential", "order of that fill")
            .of({"sequential", "random"})
            .to(precondition, &PreconditionConfig::pattern),
        Row(T::kReal, "precondition.overwrite", "0.0",
            "then the filled pages are written at random this many times")
            .within(0.0, 1000.0)
            .to(precondition, &PreconditionConfig::overwrite),
        Row(T::kWord, "precondition.until", "overwrite",
            "overwrite: as often as precondition.overwrite says; steady: and on, in rounds, until "
            "write amplification is steady")
            .of({"overwrite", "steady"})
            .to(precondition, &PreconditionConfig::until)
            .from("SNIA SSS PTS 2.0.2: preconditioning to a steady state"),
        Row(T::kReal, "precondition.round", "1.0",
            "writes of a round, as a share of the filled pages")
            .within(0.001, 100.0)
            .to(precondition, steady, &SteadyState::round),
        Row(T::kCount, "precondition.window", "5", "rounds looked at together")
            .range(2, 1000)
            .to(precondition, steady, &SteadyState::window)
            .from("SNIA SSS PTS 2.0.2, 2.1.24"),
        Row(T::kReal, "precondition.range", "0.2",
            "steady: all rounds of the window lie within this share of their mean")
            .within(0.0, 10.0)
            .to(precondition, steady, &SteadyState::range)
            .from("SNIA SSS PTS 2.0.2, 2.1.24"),
        Row(T::kReal, "precondition.slope", "0.1",
            "steady: and the line through them rises or falls by less over the window")
            .within(0.0, 10.0)
            .to(precondition, steady, &SteadyState::slope)
            .from("SNIA SSS PTS 2.0.2, 2.1.24"),
        Row(T::kCount, "precondition.max_rounds", "25", "rounds after which the run starts anyway")
            .range(1, 1'000'000)
            .to(precondition, steady, &SteadyState::max_rounds)
            .from("SNIA SSS PTS 2.0.2, IOPS test: 25 rounds"),
    };
}

Keys other_keys() {
    return {
        Row(T::kWord, "cpu.model", "none", "controller CPU").of({"none"}, {"cycles-per-op", "iss"}),
        Row(T::kText, "cpu.firmware", "build/firmware/lookup.elf", "program of the controller CPU"),
        Row(T::kHertz, "cpu.clock", "400MHz", "clock of the controller CPU"),
        Row(T::kTime, "power_loss.at", "", "when power is cut; absent: never").optional(),
        Row(T::kWord, "power_loss.recovery", "oob-scan", "how the mapping is recovered")
            .of({"oob-scan"}, {"none", "plp", "checkpoint", "ltftl"}),
        Row(T::kWord, "data.store", "none", "what is kept of the data itself")
            .of({"none"}, {"fingerprint", "full"}),
    };
}

} // namespace

const std::vector<ConfigKey>& config_keys() {
    static const Keys keys = [] {
        Keys all;
        for (const auto& section :
             {run_keys(), host_keys(), link_keys(), dram_keys(), buffer_keys(),
              knob_keys("buffer", eviction_trigger_table(), &SsdConfig::buffer,
                        &BufferConfig::trigger_params),
              knob_keys("buffer", eviction_policy_table(), &SsdConfig::buffer,
                        &BufferConfig::policy_params),
              decision_keys(), ftl_scheme_keys(), nand_keys(), channel_keys(), workload_keys(),
              other_keys()}) {
            all.insert(all.end(), section.begin(), section.end());
        }
        const SsdConfig defaults;
        for (ConfigKey& key : all) {
            if (key.fallback.empty() && key.available() && !key.part) {
                key.fallback = bare_text(key, field_value(key, defaults));
            }
        }
        return all;
    }();
    return keys;
}

} // namespace cavern
