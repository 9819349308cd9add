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

std::optional<HostRequest> place_in_zone(const ZoneLayout& zones, bool in_order,
                                         std::vector<std::uint64_t>& written,
                                         std::uint64_t& following, HostRequest& request) {
    const std::uint64_t place = request.offset - zones.offset;
    std::uint64_t zone = place / zones.size;
    if (in_order && place % zones.size + request.bytes > zones.capacity) {
        zone = zone + 1 == written.size() ? 0 : zone + 1;
        following = zone * zones.size + request.bytes;
    }
    const std::uint64_t begin = zones.offset + zone * zones.size;
    std::uint64_t& bytes = written[zone];
    const bool starts_anew = in_order && request.offset - begin != bytes;
    const bool resets = bytes + request.bytes > zones.capacity || (starts_anew && bytes != 0);
    bytes = resets ? 0 : bytes;
    request.offset = zones.append ? begin : begin + bytes;
    request.zone = zones.append ? ZoneAction::kAppend : ZoneAction::kNone;
    bytes += request.bytes;
    if (!resets) {
        return std::nullopt;
    }
    HostRequest reset;
    reset.arrival = request.arrival;
    reset.op = RequestOp::kZone;
    reset.zone = ZoneAction::kReset;
    reset.offset = begin;
    reset.job = request.job;
    return reset;
}

void Generator::write_to_zone(Job& job, HostRequest& request) {
    const JobSpec& spec = *job.spec;
    const ZoneLayout zones{spec.offset, spec.zone_size, spec.zone_capacity.value_or(spec.zone_size),
                           spec.zone_append};
    if (const auto reset =
            place_in_zone(zones, !job.jumps, job.zones, job.write.following, request)) {
        job.held = request;
        job.holds = true;
        job.held_arrival = std::exchange(job.arrival, request.arrival);
        request = *reset;
    }
}

} // namespace cavern
