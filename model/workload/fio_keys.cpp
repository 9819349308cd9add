#include "workload/fio_keys.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "workload/field.h"

namespace cavern {
namespace {

/// Keys that say how fio does its work and what it reports, not what the work is. Between spaces.
constexpr std::string_view kIgnored =
    " allow_file_create allow_mounted_write atomic block_error_percentiles brick "
    "buffer_compress_chunk buffer_compress_percentage buffer_pattern buffered busy_poll "
    "clat_percentiles cleanup clientname clocksource cluster_name clustername cmd_type cont "
    "continue_on_error cpus_allowed cpus_allowed_policy create_fsync create_on_open create_only "
    "create_serialize cuda_io description direct directory disable_clat disable_lat disable_slat "
    "disk_util end_fsync error_dump exit_what exitall exitall_on_error fallocate file_append "
    "file_service_type filename filename_format fixedbufs force_async fsync_on_close gpu_dev_ids "
    "group_reporting gtod_reduce hipri hostname ignore_error invalidate io_submit_mode "
    "iodepth_batch iodepth_batch_complete iodepth_batch_complete_max iodepth_batch_complete_min "
    "iodepth_batch_submit iodepth_low kb_base lat_percentiles libblkio_driver libblkio_path "
    "log_avg_msec log_offset log_prio mem mem_align name namenode new_group nfs_url nice "
    "nonvectored norandommap nr_files nrfiles numa_cpu_nodes numa_mem_policy object_class "
    "openfiles overwrite per_job_logs percentile_list pool pre_read random_generator randrepeat "
    "rbdname readonly refill_buffers registerfiles replay_redirect reuse rwmixcycle "
    "scramble_buffers skip_bad softrandommap sqthread_poll sqthread_poll_cpu sync target thread "
    "threads unified_rw_reporting unlink uri volume write_bw_log write_iops_log write_lat_log "
    "zero_buffers ";

/// Keys that are left out, and what the run lacks for it.
struct Noted {
    std::string_view prefix; ///< of the key
    std::string_view note;
};
constexpr std::array kNoted{
    Noted{"verify", "is ignored: no data are stored, and nothing is read back"},
    Noted{"do_verify", "is ignored: no data are stored, and nothing is read back"},
    Noted{"dedupe_", "is ignored: data have no content"},
    Noted{"cmdprio", "is ignored: all requests have the same priority"},
    Noted{"prio", "is ignored: all requests have the same priority"},
    Noted{"ss", "is ignored: the job ends with its runtime or its size"},
    Noted{"fill_device", "is ignored: the job writes its region once"},
    Noted{"fdp", "is ignored: no placement is asked for; a TOML job has stream"},
    Noted{"num_range", "is ignored: a trim has one range"},
    Noted{"max_open_zones", "is ignored: the drive has its own limits"},
    Noted{"read_beyond_wp", "is ignored: reads go anywhere in the region"},
};
constexpr std::string_view kSteadyState = "ss"; // and ss_dur, ss_ramp, but not every ss...

/// Engines that do something else than read and write a file or drive. Between spaces.
constexpr std::string_view kOtherEngines =
    " cpuio dircreate dirdelete dirstat e4defrag exec falloc filecreate filedelete filestat "
    "filexattr ftruncate http librpma_apm_client librpma_apm_server librpma_gpspm_client "
    "librpma_gpspm_server net netsplice page_fault rdma ";

bool lists(std::string_view list, std::string_view word) {
    return list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

template <typename Parse>
auto parsed(const FioEntry& entry, Parse parse) {
    try {
        return parse(entry.value);
    } catch (const JobTextError& error) {
        entry.fail(error.what(), error.right());
    }
}

Pattern pattern_of(const FioEntry& entry) {
    struct Word {
        std::string_view name;
        Pattern pattern;
    };
    constexpr std::array kWords{Word{"read", Pattern::kRead},
                                Word{"write", Pattern::kWrite},
                                Word{"trim", Pattern::kTrim},
                                Word{"randread", Pattern::kRandRead},
                                Word{"randwrite", Pattern::kRandWrite},
                                Word{"randtrim", Pattern::kRandTrim},
                                Word{"rw", Pattern::kRw},
                                Word{"readwrite", Pattern::kRw},
                                Word{"randrw", Pattern::kRandRw}};
    for (const Word& word : kWords) {
        if (word.name == entry.value) {
            return word.pattern;
        }
    }
    entry.fail(quote(entry.value) + " is unknown",
               "it is read, write, trim, randread, randwrite, randtrim, rw or randrw");
}

/// "4k-64k": every multiple of the smallest equally often.
SizesText range_of(const FioEntry& entry) {
    constexpr std::uint32_t kMost = 1024;
    const std::size_t dash = entry.value.find('-');
    const auto low = fio_block_bytes(entry.value.substr(0, dash));
    // Without a dash there is nothing behind it, which is no size.
    const auto high = fio_block_bytes(
        entry.value.substr(dash == std::string_view::npos ? entry.value.size() : dash + 1));
    if (!low || !high || *low == 0 || *high < *low || *high % *low != 0 || *high / *low > kMost) {
        entry.fail(quote(entry.value) + " is no range of sizes",
                   "it is such as 4k-64k, a size and a multiple of it, for all directions");
    }
    SizeDistribution sizes;
    const std::uint32_t count = *high / *low;
    for (std::uint32_t i = 1; i <= count; ++i) {
        sizes.shares.push_back({*low * i, 100.0 / count});
    }
    return {sizes, sizes};
}

void read_engine(const FioEntry& entry, FioDraft&) {
    if (lists(kOtherEngines, entry.value)) {
        entry.fail(quote(entry.value) + " does something else than read and write a drive",
                   "it is an engine such as libaio, io_uring or psync");
    }
}

void read_sizes(const FioEntry& entry, FioDraft& draft) {
    draft.sizes = parsed(
        entry, [](std::string_view text) { return parse_block_sizes(text, fio_block_bytes); });
}

void read_pattern(const FioEntry& entry, FioDraft& draft) {
    draft.job.pattern = pattern_of(entry);
}

void read_fsync(const FioEntry& entry, FioDraft& draft) {
    draft.job.fsync = entry.whole(0, kMaxWhole);
}

void read_size(const FioEntry& entry, FioDraft& draft) {
    draft.size_percent = entry.percent();
    draft.size = draft.size_percent ? std::nullopt : std::optional(entry.bytes());
}

void read_offset(const FioEntry& entry, FioDraft& draft) {
    draft.job.offset_percent = entry.percent();
    draft.job.offset = draft.job.offset_percent ? 0 : entry.bytes();
}

void read_process(const FioEntry& entry, FioDraft& draft) {
    if (entry.value != "linear" && entry.value != "poisson") {
        entry.fail(quote(entry.value) + " is unknown", "it is linear or poisson");
    }
    draft.job.arrival = entry.value == "poisson" ? Arrival::kPoisson : Arrival::kFixed;
}

void read_alignment(const FioEntry& entry, FioDraft& draft) {
    const auto bytes = fio_block_bytes(entry.value);
    if (!bytes || *bytes == 0 || *bytes % kSectorBytes != 0) {
        entry.fail(quote(entry.value) + " is no alignment", "a multiple of 512 bytes, such as 4k");
    }
    draft.job.block_align = bytes;
}

void read_zone_mode(const FioEntry& entry, FioDraft& draft) {
    if (entry.value != "none" && entry.value != "zbd") {
        entry.fail(quote(entry.value) + " is not modelled", "it is none or zbd");
    }
    draft.zoned = entry.value == "zbd";
}

struct Key {
    std::string_view name;
    void (*read)(const FioEntry&, FioDraft&);
};

constexpr auto kReadIoSize = [](const FioEntry& entry, FioDraft& draft) {
    draft.io_size = entry.bytes();
};
constexpr auto kReadRuntime = [](const FioEntry& entry, FioDraft& draft) {
    draft.runtime = entry.time(kSecond);
};
constexpr auto kReadStartDelay = [](const FioEntry& entry, FioDraft& draft) {
    draft.job.startdelay = entry.time(kSecond);
};
constexpr auto kReadZoneSize = [](const FioEntry& entry, FioDraft& draft) {
    draft.zone_size = entry.bytes();
};

constexpr std::array kKeys{
    Key{"ioengine", read_engine},
    Key{"rw", read_pattern},
    Key{"readwrite", read_pattern},
    Key{"rwmixread",
        [](const FioEntry& e, FioDraft& d) { d.job.rwmixread = parsed(e, parse_percent); }},
    Key{"rwmixwrite",
        [](const FioEntry& e, FioDraft& d) { d.job.rwmixread = 100 - parsed(e, parse_percent); }},
    Key{"bs", read_sizes},
    Key{"blocksize", read_sizes},
    Key{"bsrange", [](const FioEntry& e, FioDraft& d) { d.sizes = range_of(e); }},
    Key{"blocksize_range", [](const FioEntry& e, FioDraft& d) { d.sizes = range_of(e); }},
    Key{"bssplit",
        [](const FioEntry& e, FioDraft& d) {
            d.sizes = parsed(
                e, [](std::string_view text) { return parse_bssplit(text, fio_block_bytes); });
        }},
    Key{"ba", read_alignment},
    Key{"blockalign", read_alignment},
    Key{"size", read_size},
    Key{"filesize", [](const FioEntry& e, FioDraft& d) { d.file_size = e.bytes(); }},
    Key{"io_size", kReadIoSize},
    Key{"io_limit", kReadIoSize},
    Key{"offset", read_offset},
    Key{"offset_increment", [](const FioEntry& e, FioDraft& d) { d.offset_increment = e.bytes(); }},
    Key{"number_ios",
        [](const FioEntry& e, FioDraft& d) { d.job.number_ios = e.whole(1, kMaxWhole); }},
    Key{"numjobs", [](const FioEntry& e, FioDraft& d) { d.numjobs = e.whole(1, 1024); }},
    Key{"loops", [](const FioEntry& e, FioDraft& d) { d.job.loops = e.whole(1, 1'000'000); }},
    Key{"iodepth",
        [](const FioEntry& e, FioDraft& d) {
            d.job.iodepth = static_cast<std::uint32_t>(e.whole(1, 65536));
        }},
    Key{"rate", [](const FioEntry& e, FioDraft& d) { d.job.rate = e.bytes(); }},
    Key{"rate_iops", [](const FioEntry& e, FioDraft& d) { d.job.rate_iops = e.whole(1, kSecond); }},
    Key{"rate_process", read_process},
    Key{"rate_poisson",
        [](const FioEntry& e, FioDraft& d) {
            d.job.arrival = e.flag() ? Arrival::kPoisson : Arrival::kFixed;
        }},
    Key{"thinktime", [](const FioEntry& e, FioDraft& d) { d.job.thinktime = e.time(kUs); }},
    Key{"thinktime_blocks",
        [](const FioEntry& e, FioDraft& d) { d.job.thinktime_blocks = e.whole(1, kMaxWhole); }},
    Key{"startdelay", kReadStartDelay},
    Key{"start_delay", kReadStartDelay},
    Key{"runtime", kReadRuntime},
    Key{"timeout", kReadRuntime},
    Key{"time_based", [](const FioEntry& e, FioDraft& d) { d.time_based = e.flag(); }},
    Key{"ramp_time", [](const FioEntry& e, FioDraft& d) { d.ramp = e.time(kSecond); }},
    Key{"stonewall", [](const FioEntry& e, FioDraft& d) { d.stonewall = e.flag(); }},
    Key{"wait_for_previous", [](const FioEntry& e, FioDraft& d) { d.stonewall = e.flag(); }},
    Key{"wait_for", [](const FioEntry& e, FioDraft& d) { d.wait_for = e.value; }},
    Key{"random_distribution",
        [](const FioEntry& e, FioDraft& d) { d.job.distribution = parsed(e, parse_distribution); }},
    Key{"percentage_random",
        [](const FioEntry& e, FioDraft& d) { d.job.percentage_random = parsed(e, parse_percent); }},
    Key{"randseed", [](const FioEntry& e, FioDraft& d) { d.job.seed = e.whole(0, kMaxWhole); }},
    Key{"fsync", read_fsync},
    Key{"fdatasync", read_fsync},
    Key{"writefua", [](const FioEntry& e, FioDraft& d) { d.job.writefua = e.flag(); }},
    Key{"zonemode", read_zone_mode},
    Key{"zonesize", kReadZoneSize},
    Key{"zone_size", kReadZoneSize},
};

const Noted* note_on(std::string_view key) {
    const auto* found = std::find_if(kNoted.begin(), kNoted.end(), [&](const Noted& noted) {
        return noted.prefix == kSteadyState
                   ? key == "ss" || key == "ss_dur" || key == "ss_ramp" || key == "steadystate"
                   : key.substr(0, noted.prefix.size()) == noted.prefix;
    });
    return found == kNoted.end() ? nullptr : found;
}

} // namespace

void read_fio_entry(const FioEntry& entry, FioDraft& draft) {
    const auto* key =
        std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& k) { return k.name == entry.key; });
    if (key != kKeys.end()) {
        if (entry.value.find('$') != std::string_view::npos) {
            entry.fail(quote(entry.value) + " names a variable", "write what it stands for");
        }
        key->read(entry, draft);
        return;
    }
    if (const Noted* noted = note_on(entry.key)) {
        draft.notes.push_back(entry.file + ":" + std::to_string(entry.line) + ": " +
                              std::string(entry.key) + " " + std::string(noted->note) + ".");
        return;
    }
    if (!lists(kIgnored, entry.key)) {
        throw UserError(entry.file, entry.line, "unknown key " + quote(entry.key),
                        "docs/traces.md lists the keys of fio that are read and those ignored");
    }
}

} // namespace cavern
