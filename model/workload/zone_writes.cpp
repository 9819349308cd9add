// Jobs that write by zones.

#include "workload/zone_writes.h"

#include <utility>

#include "core/base/error.h"
#include "workload/field.h"

namespace cavern {

void check_zones(const JobSpec& job, const std::string& file) {
    const auto require = [&](bool good, const char* what, const char* right) {
        if (!good) {
            throw UserError(file, job.line, "job " + quote(job.name) + " " + what, right);
        }
    };
    if (job.zone_size == 0) {
        require(!job.zone_capacity && !job.zone_append,
                "has zone_capacity or zone_append without zone_size",
                "zone_size says where zones are");
        return;
    }
    const bool trims = job.pattern == Pattern::kTrim || job.pattern == Pattern::kRandTrim;
    const std::uint64_t capacity = job.zone_capacity.value_or(job.zone_size);
    require(job.writes() && !trims, "has zones, but writes nothing", "rw is such as \"write\"");
    require(!job.spread && job.offset % job.zone_size == 0 &&
                job.region(false) % job.zone_size == 0,
            "has a region that is not made of its zones",
            "offset and size are multiples of zone_size, and there is no spread");
    require(capacity <= job.zone_size && job.sizes(false).largest() <= capacity,
            "has a zone_capacity above its zone_size, or below a write",
            "bs up to zone_capacity up to zone_size");
}

void Generator::write_to_zone(Job& job, HostRequest& request) {
    const JobSpec& spec = *job.spec;
    const std::uint64_t capacity = spec.zone_capacity.value_or(spec.zone_size);
    const std::uint64_t place = request.offset - spec.offset;
    std::uint64_t zone = place / spec.zone_size;
    if (!job.jumps && place % spec.zone_size + request.bytes > capacity) {
        zone = zone + 1 == job.zones.size() ? 0 : zone + 1;
        job.write.following = zone * spec.zone_size + request.bytes;
    }
    const std::uint64_t begin = spec.offset + zone * spec.zone_size;
    std::uint64_t& written = job.zones[zone];
    const bool starts_anew = !job.jumps && request.offset - begin != written;
    const bool resets = written + request.bytes > capacity || (starts_anew && written != 0);
    written = resets ? 0 : written;
    request.offset = spec.zone_append ? begin : begin + written;
    request.zone = spec.zone_append ? ZoneAction::kAppend : ZoneAction::kNone;
    written += request.bytes;
    if (resets) {
        job.held = request;
        job.holds = true;
        job.held_arrival = std::exchange(job.arrival, request.arrival);
        request.op = RequestOp::kZone;
        request.zone = ZoneAction::kReset;
        request.offset = begin;
        request.bytes = 0;
        request.fua = false;
        request.stream = 0;
    }
}

} // namespace cavern
