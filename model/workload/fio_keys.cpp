#include "workload/fio_keys.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/sectors.h"
#include "workload/field.h"
#include "workload/fio_values.h"
#include "workload/job_text.h"

namespace cavern {
namespace {

/// Keys that say how fio does its work and what it reports, not what the work is. Between spaces.
constexpr std::string_view kIgnored =
    " allow_file_create allow_mounted_write atomic block_error_percentiles brick "
    "buffer_compress_chunk buffer_compress_percentage buffer_pattern busy_poll "
    "clat_percentiles cleanup clientname clocksource cluster_name clustername cmd_type cont "
    "continue_on_error cpus_allowed cpus_allowed_policy create_fsync create_on_open create_only "
    "create_serialize cuda_io description directory disable_clat disable_lat disable_slat "
    "disk_util error_dump exitall_on_error fallocate file_append file_service_type "
    "filename_format fixedbufs force_async gpu_dev_ids group_reporting gtod_reduce hipri hostname "
    "ignore_error invalidate iodepth_batch iodepth_batch_complete_max iodepth_batch_submit "
    "lat_percentiles libblkio_driver libblkio_path log_avg_msec log_offset log_prio mem mem_align "
    "name namenode nfs_url nice nonvectored numa_cpu_nodes numa_mem_policy object_class openfiles "
    "overwrite per_job_logs percentile_list pool rate_cycle rbdname readonly refill_buffers "
    "registerfiles replay_redirect reuse rwmixcycle scramble_buffers skip_bad softrandommap "
    "sqthread_poll sqthread_poll_cpu target thread threads unified_rw_reporting unlink uri volume "
    "write_bw_log write_iops_log write_lat_log zero_buffers ";

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

/// "a,b,c" are reads, writes and trims. The last of two is for trims as well, a single one for all,
/// and what is left empty stays as it is.
template <typename Value, typename Parse>
void by_direction(std::string_view text, FioByDirection<Value>& values, Parse parse) {
    std::array<std::string_view, 3> parts;
    std::size_t count = 0;
    for (;;) {
        const std::size_t comma = text.find(',');
        if (count == parts.size()) {
            throw JobTextError("has more than three parts",
                               "reads, writes and trims have one each");
        }
        parts[count++] = trimmed(text.substr(0, comma));
        if (comma == std::string_view::npos) {
            break;
        }
        text.remove_prefix(comma + 1);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string_view part = parts[std::min(i, count - 1)];
        if (!part.empty()) {
            values[i] = parse(part);
        }
    }
}

void read_rw(const FioEntry& entry, FioDraft& draft) {
    struct Word {
        std::string_view name;
        bool reads;
        bool writes;
        bool trims;
        bool random;
    };
    constexpr std::array kWords{
        Word{"read", true, false, false, false},     Word{"write", false, true, false, false},
        Word{"trim", false, false, true, false},     Word{"randread", true, false, false, true},
        Word{"randwrite", false, true, false, true}, Word{"randtrim", false, false, true, true},
        Word{"rw", true, true, false, false},        Word{"readwrite", true, true, false, false},
        Word{"randrw", true, true, false, true},     Word{"trimwrite", false, true, true, false}};
    const std::size_t colon = entry.value.find(':');
    const std::string_view name = entry.value.substr(0, colon);
    const auto* word =
        std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.name == name; });
    if (word == kWords.end()) {
        entry.fail(quote(name) + " is unknown",
                   "it is read, write, trim, randread, randwrite, randtrim, rw, randrw or "
                   "trimwrite");
    }
    FioJob& job = draft.job;
    job.reads = word->reads;
    job.writes = word->writes;
    job.trims = word->trims;
    job.random = word->random;
    job.sequence_add = 0;
    job.sequence_count = 1;
    if (colon == std::string_view::npos) {
        return;
    }
    std::string_view more = entry.value.substr(colon + 1);
    const bool back = !more.empty() && more.front() == '-';
    more.remove_prefix(back ? 1 : 0);
    const FioEntry number{entry.file, entry.line, entry.key, more, entry.kb_base};
    if (job.random) {
        job.sequence_count = static_cast<std::uint32_t>(number.whole(1, 1'000'000'000));
    } else {
        const auto bytes = static_cast<std::int64_t>(number.bytes());
        job.sequence_add = back ? -bytes : bytes;
    }
}

template <FioSizes (*parse)(const FioEntry&, std::string_view)>
void read_sizes(const FioEntry& entry, FioDraft& draft) {
    parsed(entry, [&](std::string_view text) {
        by_direction(text, draft.job.sizes,
                     [&](std::string_view part) { return parse(entry, part); });
        return true;
    });
}

void read_alignment(const FioEntry& entry, FioDraft& draft) {
    parsed(entry, [&](std::string_view text) {
        by_direction(text, draft.job.align, [&](std::string_view part) {
            const auto bytes = fio_block_bytes(part, entry.kb_base);
            if (!bytes || *bytes == 0 || *bytes % kSectorBytes != 0) {
                throw JobTextError(quote(part) + " is no alignment",
                                   "a multiple of 512 bytes, such as 4k");
            }
            return *bytes;
        });
        return true;
    });
}

void read_percentage_random(const FioEntry& entry, FioDraft& draft) {
    parsed(entry, [&](std::string_view text) {
        by_direction(text, draft.job.percentage_random, parse_percent);
        return true;
    });
}

void read_distribution(const FioEntry& entry, FioDraft& draft) {
    parsed(entry, [&](std::string_view text) {
        by_direction(text, draft.job.distribution, parse_distribution);
        return true;
    });
}

template <FioByDirection<std::uint64_t> FioJob::*member>
void read_rate(const FioEntry& entry, FioDraft& draft) {
    parsed(entry, [&](std::string_view text) {
        by_direction(text, draft.job.*member, [&](std::string_view part) {
            const auto rate = fio_bytes(part, entry.kb_base);
            if (!rate || *rate > kSecond) {
                throw JobTextError(quote(part) + " is no rate", "such as 100m, or 900,100");
            }
            return *rate;
        });
        return true;
    });
}

std::uint64_t word_of(const FioEntry& entry, std::initializer_list<std::string_view> words) {
    std::string all;
    std::uint64_t index = 0;
    for (const std::string_view word : words) {
        if (word == entry.value) {
            return index;
        }
        all += (index++ == 0 ? "" : ", ") + std::string(word);
    }
    entry.fail(quote(entry.value) + " is unknown", "it is one of " + all);
}

void read_start_delay(const FioEntry& entry, FioDraft& draft) {
    const std::size_t dash = std::min(entry.value.find('-'), entry.value.size());
    const auto part = [&](std::string_view text) {
        return FioEntry{entry.file, entry.line, entry.key, text, entry.kb_base}.time(kSecond);
    };
    draft.job.start_delay = part(entry.value.substr(0, dash));
    draft.job.start_delay_most =
        dash == entry.value.size() ? draft.job.start_delay : part(entry.value.substr(dash + 1));
}

/// A value that would change the requests in a way that is not modelled.
void refuse(const FioEntry& entry, bool refused, const char* right) {
    if (refused) {
        entry.fail(quote(entry.value) + " is not modelled", right);
    }
}

void read_files(const FioEntry& entry, FioDraft&) {
    refuse(entry, entry.whole(1, kMaxWhole) != 1, "a job has one file, which is the drive");
}

void read_filename(const FioEntry& entry, FioDraft&) {
    const std::size_t colon = entry.value.find(':');
    refuse(entry, colon != std::string_view::npos && colon > 0 && entry.value[colon - 1] != '\\',
           "a job has one file, which is the drive");
}

/// A runtime of 0 is none.
void read_runtime(const FioEntry& entry, FioDraft& draft) {
    const TimePs time = entry.time(kSecond);
    draft.job.runtime = time == 0 ? std::nullopt : std::optional(time);
}

struct Key {
    std::string_view name;
    void (*read)(const FioEntry&, FioDraft&);
};

constexpr auto kReadIoSize = [](const FioEntry& e, FioDraft& d) { d.job.io_size = e.bytes(); };
constexpr auto kReadZoneSize = [](const FioEntry& e, FioDraft& d) { d.job.zone_size = e.bytes(); };
constexpr auto kReadFsync = [](const FioEntry& e, FioDraft& d) {
    d.job.fsync = e.whole(0, kMaxWhole);
};
constexpr auto kReadEndFsync = [](const FioEntry& e, FioDraft& d) {
    d.job.end_fsync = d.job.end_fsync || e.flag();
};
constexpr auto kReadStonewall = [](const FioEntry& e, FioDraft& d) { d.stonewall = e.flag(); };
constexpr auto kReadBatch = [](const FioEntry& e, FioDraft& d) {
    d.job.iodepth_batch_complete =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(e.whole(0, 65536), 1));
};

constexpr std::array kKeys{
    Key{"kb_base", [](const FioEntry&, FioDraft&) {}}, // read before all others of its section
    Key{"ioengine",
        [](const FioEntry& e, FioDraft& d) {
            d.ioengine = e.value;
            if (lists(kOtherEngines, e.value)) {
                e.fail(quote(e.value) + " does something else than read and write a drive",
                       "it is an engine such as libaio, io_uring or psync");
            }
            if (!is_fio_engine(e.value)) {
                e.fail(quote(e.value) + " is no engine of fio 3.33",
                       "it is an engine such as libaio, io_uring or psync");
            }
        }},
    Key{"rw", read_rw},
    Key{"readwrite", read_rw},
    Key{"rw_sequencer",
        [](const FioEntry& e, FioDraft& d) {
            d.job.sequence_repeats = word_of(e, {"sequential", "identical"}) == 1;
        }},
    Key{"rwmixread",
        [](const FioEntry& e, FioDraft& d) { d.job.rwmixread = parsed(e, parse_percent); }},
    Key{"rwmixwrite",
        [](const FioEntry& e, FioDraft& d) { d.job.rwmixread = 100 - parsed(e, parse_percent); }},
    Key{"bs", read_sizes<one_size>},
    Key{"blocksize", read_sizes<one_size>},
    Key{"bsrange", read_sizes<size_range>},
    Key{"blocksize_range", read_sizes<size_range>},
    Key{"bssplit", read_sizes<size_shares>},
    Key{"bs_unaligned", [](const FioEntry& e, FioDraft& d) { d.job.bs_unaligned = e.flag(); }},
    Key{"blocksize_unaligned",
        [](const FioEntry& e, FioDraft& d) { d.job.bs_unaligned = e.flag(); }},
    Key{"bs_is_seq_rand", [](const FioEntry& e, FioDraft& d) { d.job.bs_is_seq_rand = e.flag(); }},
    Key{"ba", read_alignment},
    Key{"blockalign", read_alignment},
    Key{"size", [](const FioEntry& e, FioDraft& d) { d.job.size = length_of(e); }},
    Key{"filesize", [](const FioEntry& e, FioDraft& d) { d.job.file_size = e.bytes(); }},
    Key{"io_size", kReadIoSize},
    Key{"io_limit", kReadIoSize},
    Key{"fill_device",
        [](const FioEntry& e, FioDraft& d) {
            if (e.flag()) {
                d.job.size.reset(); // to the end of the drive
            }
        }},
    Key{"offset", [](const FioEntry& e, FioDraft& d) { d.job.offset = length_of(e); }},
    Key{"offset_increment",
        [](const FioEntry& e, FioDraft& d) { d.job.offset_increment = length_of(e); }},
    Key{"number_ios",
        [](const FioEntry& e, FioDraft& d) { d.job.number_ios = e.whole(0, kMaxWhole); }},
    Key{"numjobs", [](const FioEntry& e, FioDraft& d) { d.numjobs = e.whole(1, 1024); }},
    Key{"loops", [](const FioEntry& e, FioDraft& d) { d.job.loops = e.whole(1, 1'000'000); }},
    Key{"iodepth",
        [](const FioEntry& e, FioDraft& d) {
            d.job.iodepth = static_cast<std::uint32_t>(e.whole(1, 65536));
        }},
    Key{"iodepth_low",
        [](const FioEntry& e, FioDraft& d) {
            d.job.iodepth_low = static_cast<std::uint32_t>(e.whole(0, 65536));
        }},
    Key{"iodepth_batch_complete", kReadBatch},
    Key{"iodepth_batch_complete_min", kReadBatch},
    Key{"io_submit_mode",
        [](const FioEntry& e, FioDraft& d) {
            d.job.offload = word_of(e, {"inline", "offload"}) == 1;
        }},
    Key{"rate", read_rate<&FioJob::rate>},
    Key{"rate_iops", read_rate<&FioJob::rate_iops>},
    Key{"rate_process",
        [](const FioEntry& e, FioDraft& d) {
            d.job.poisson = word_of(e, {"linear", "poisson"}) == 1;
        }},
    Key{"rate_poisson", [](const FioEntry& e, FioDraft& d) { d.job.poisson = e.flag(); }},
    Key{"rate_ignore_thinktime",
        [](const FioEntry& e, FioDraft& d) { d.job.rate_ignore_thinktime = e.flag(); }},
    Key{"thinktime", [](const FioEntry& e, FioDraft& d) { d.job.thinktime = e.time(kUs); }},
    Key{"thinktime_spin",
        [](const FioEntry& e, FioDraft& d) { d.job.thinktime_spin = e.time(kUs); }},
    Key{"thinktime_blocks",
        [](const FioEntry& e, FioDraft& d) { d.job.thinktime_blocks = e.whole(1, kMaxWhole); }},
    Key{"thinktime_blocks_type",
        [](const FioEntry& e, FioDraft& d) {
            d.job.thinktime_counts_issued = word_of(e, {"complete", "issue"}) == 1;
        }},
    Key{"thinktime_iotime",
        [](const FioEntry& e, FioDraft& d) { d.job.thinktime_iotime = e.time(kUs); }},
    Key{"startdelay", read_start_delay},
    Key{"start_delay", read_start_delay},
    Key{"runtime", read_runtime},
    Key{"timeout", read_runtime},
    Key{"time_based", [](const FioEntry& e, FioDraft& d) { d.job.time_based = e.flag(); }},
    Key{"ramp_time", [](const FioEntry& e, FioDraft& d) { d.job.ramp_time = e.time(kSecond); }},
    Key{"stonewall", kReadStonewall},
    Key{"wait_for_previous", kReadStonewall},
    Key{"wait_for", [](const FioEntry& e, FioDraft& d) { d.wait_for = e.value; }},
    Key{"new_group", [](const FioEntry& e, FioDraft& d) { d.new_group = e.flag(); }},
    Key{"exitall", [](const FioEntry& e, FioDraft& d) { d.exitall = e.flag(); }},
    Key{"exit_what",
        [](const FioEntry& e, FioDraft& d) {
            d.job.exit_what = static_cast<FioExit>(word_of(e, {"group", "stonewall", "all"}));
        }},
    Key{"random_distribution", read_distribution},
    Key{"percentage_random", read_percentage_random},
    Key{"norandommap", [](const FioEntry& e, FioDraft& d) { d.job.norandommap = e.flag(); }},
    Key{"random_generator",
        [](const FioEntry& e, FioDraft& d) {
            static_cast<void>(word_of(e, {"tausworthe", "lfsr", "tausworthe64"}));
            d.random_generator = e.value;
        }},
    Key{"randrepeat", [](const FioEntry& e, FioDraft& d) { d.job.randrepeat = e.flag(); }},
    Key{"allrandrepeat", [](const FioEntry& e, FioDraft& d) { d.job.randrepeat = e.flag(); }},
    Key{"randseed", [](const FioEntry& e, FioDraft& d) { d.job.seed = e.whole(0, kMaxWhole); }},
    Key{"fsync", kReadFsync},
    Key{"fdatasync", kReadFsync},
    Key{"end_fsync", kReadEndFsync},
    Key{"fsync_on_close", kReadEndFsync},
    Key{"sync",
        [](const FioEntry& e, FioDraft& d) {
            d.job.fua = e.value.empty() || word_of(e, {"none", "0", "sync", "1", "dsync"}) >= 2;
        }},
    Key{"writefua", [](const FioEntry& e, FioDraft& d) { d.job.fua = e.flag(); }},
    Key{"direct", [](const FioEntry& e, FioDraft& d) { d.direct = e.flag(); }},
    Key{"buffered", [](const FioEntry& e, FioDraft& d) { d.direct = !e.flag(); }},
    Key{"flow",
        [](const FioEntry& e, FioDraft& d) {
            d.job.flow = static_cast<std::uint32_t>(e.whole(0, 1'000'000));
        }},
    Key{"flow_id",
        [](const FioEntry& e, FioDraft& d) {
            d.job.flow_id = static_cast<std::uint32_t>(e.whole(0, 1'000'000'000));
        }},
    Key{"flow_sleep", [](const FioEntry& e, FioDraft& d) { d.job.flow_sleep = e.time(kUs); }},
    Key{"nrfiles", read_files},
    Key{"nr_files", read_files},
    Key{"filename", read_filename},
    Key{"pre_read",
        [](const FioEntry& e, FioDraft&) {
            refuse(e, e.flag(), "a job of its own reads the region before");
        }},
    Key{"zonemode",
        [](const FioEntry& e, FioDraft& d) {
            d.job.zone_mode = static_cast<FioZones>(word_of(e, {"none", "strided", "zbd"}));
        }},
    Key{"zonesize", kReadZoneSize},
    Key{"zone_size", kReadZoneSize},
    Key{"zonerange", [](const FioEntry& e, FioDraft& d) { d.job.zone_range = e.bytes(); }},
    Key{"zoneskip", [](const FioEntry& e, FioDraft& d) { d.job.zone_skip = e.bytes(); }},
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
        if (entry.value.find('$') != std::string_view::npos && entry.key != "filename") {
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
