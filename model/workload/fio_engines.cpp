// The engines of fio, and what follows from several keys of a job together.

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/sectors.h"
#include "workload/field.h"
#include "workload/fio_keys.h"

namespace cavern {
namespace {

/// How an engine works: a synchronous one has one request under way; others may wait for a flush or
/// a TRIM before they go on.
struct Engine {
    std::string_view name;
    bool synchronous = false;
    bool waits_for_flush = false;
    bool waits_for_trim = false;
    bool cached = false; ///< without direct=1 by the page cache of the host
};
constexpr std::array kEngines{Engine{"sync", true, false, false, true},
                              Engine{"psync", true, false, false, true},
                              Engine{"vsync", true, false, false, true},
                              Engine{"pvsync", true, false, false, true},
                              Engine{"pvsync2", true, false, false, true},
                              Engine{"mmap", true},
                              Engine{"splice", true},
                              Engine{"libpmem", true},
                              Engine{"pmemblk", true},
                              Engine{"dev-dax", true},
                              Engine{"fusion-aw-sync", true},
                              Engine{"gfapi", true},
                              Engine{"ime_psync", true},
                              Engine{"ime_psyncv", true},
                              Engine{"libcufile", true},
                              Engine{"libhdfs", true},
                              Engine{"libzbc", true},
                              Engine{"mtd", true},
                              Engine{"libaio", false, true, true, true},
                              Engine{"io_uring", false, false, true, true},
                              Engine{"posixaio", false, false, true, true},
                              Engine{"io_uring_cmd"},
                              Engine{"null"},
                              Engine{"cpp_null"},
                              Engine{"dfs"},
                              Engine{"gfapi_async"},
                              Engine{"ime_aio"},
                              Engine{"libblkio"},
                              Engine{"libiscsi"},
                              Engine{"nbd"},
                              Engine{"nfs"},
                              Engine{"rados"},
                              Engine{"rbd"},
                              Engine{"sg"},
                              Engine{"sgunmap"},
                              Engine{"sheepdog"},
                              Engine{"windowsaio"},
                              Engine{"xnvme"}};

const Engine* engine_of(std::string_view name) {
    const auto* engine = std::find_if(kEngines.begin(), kEngines.end(),
                                      [&](const Engine& one) { return one.name == name; });
    return engine == kEngines.end() ? nullptr : engine;
}

} // namespace

bool is_fio_engine(std::string_view name) {
    return engine_of(name) != nullptr;
}

void settle_fio_draft(const std::string& file, FioDraft& draft) {
    FioJob& job = draft.job;
    const auto fail = [&](const std::string& what, const std::string& right) {
        throw UserError(file, job.line, "job " + quote(job.name) + " " + what, right);
    };
    const auto note = [&](const std::string& text) {
        draft.notes.push_back(file + ":" + std::to_string(job.line) + ": job " + quote(job.name) +
                              " " + text);
    };
    if (!job.reads && !job.writes && !job.trims) {
        job.reads = true;
    }
    const Engine* engine = engine_of(draft.ioengine);
    job.waits_for_flush = engine->waits_for_flush;
    job.waits_for_trim = engine->waits_for_trim;
    if (engine->synchronous && job.iodepth > 1 && !job.offload) {
        note("has iodepth = " + std::to_string(job.iodepth) + " and the synchronous engine " +
             draft.ioengine + ": one request is under way, as in fio. ioengine=libaio has more.");
        job.iodepth = 1;
    }
    if (engine->cached && !draft.direct) {
        note("has no direct=1: fio would go through the page cache of its host. Here every request "
             "goes to the drive.");
    }
    job.iodepth_low = std::min(job.iodepth_low, job.iodepth);
    const bool aligned = job.align != FioByDirection<std::uint32_t>{};
    job.norandommap = (job.norandommap || aligned) && draft.random_generator != "lfsr";
    if (job.time_based && !job.runtime) {
        fail("is time_based without a runtime", "say runtime as well, such as runtime=30s");
    }
    if (job.zone_mode != FioZones::kNone && job.zone_size == 0) {
        fail("has a zonemode without zonesize", "zonesize is such as 256m");
    }
    job.zone_range = job.zone_range != 0 ? job.zone_range : job.zone_size;
    if (job.thinktime_blocks == 0 && job.thinktime_iotime == 0) {
        job.thinktime_blocks = 1;
    }
    if (job.zone_mode == FioZones::kStrided && job.zone_range > job.zone_size) {
        fail("has a zonerange above its zonesize", "zonesize is what is done of a zone");
    }
    for (const FioSizes& sizes : job.sizes) {
        const bool whole =
            sizes.least % kSectorBytes == 0 && sizes.most % kSectorBytes == 0 &&
            std::all_of(sizes.split.begin(), sizes.split.end(),
                        [](const auto& share) { return share.bytes % kSectorBytes == 0; });
        if (!whole) {
            fail("has a bs of " + std::to_string(sizes.least) + " bytes, no multiple of 512 bytes",
                 "bs is such as 4k; fio reads 4KiB as 4000 bytes, unless kb_base=1000 is said");
        }
    }
    if (job.bs_unaligned && (job.sizes[0].several() || job.sizes[1].several())) {
        fail("has bs_unaligned and a range of sizes", "requests are multiples of 512 bytes");
    }
}

} // namespace cavern
