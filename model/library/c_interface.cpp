#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "cavern/cavern.h"
#include "config/file_names.h"
#include "core/base/error.h"
#include "core/base/sectors.h"
#include "drive/controller.h"
#include "drive/core_builder.h"
#include "drive/live_drive.h"
#include "library/open_config.h"
#include "library/request_data.h"

struct cavern_drive {
    cavern::RequestData data;
    std::unique_ptr<cavern::LiveDrive> live;
    std::string error;
    bool failed = false;
};

namespace {

using namespace cavern;

/// Why a drive could not be opened, or what was wrong when one was closed.
std::string& last_error() {
    static std::string text;
    return text;
}

int refuse(cavern_drive& drive, const std::string& what, const std::string& right) {
    drive.error = "<request>:1: " + what + "; " + right;
    return -1;
}

/// Nothing that is thrown leaves the library.
template <typename Action>
int guarded(std::string& error, const Action& action) {
    try {
        action();
        return 0;
    } catch (const std::exception& thrown) {
        error = thrown.what();
    } catch (...) {
        error = "something unknown was thrown";
    }
    return -1;
}

int step(cavern_drive* drive, void (LiveDrive::*how)(TimePs), TimePs until) {
    if (drive->failed) {
        return -1;
    }
    const int result = guarded(drive->error, [&] { (drive->live.get()->*how)(until); });
    drive->failed = result != 0;
    return result;
}

} // namespace

const char* cavern_version(void) {
    return CAVERN_VERSION;
}

const char* cavern_configs(void) {
    static const std::string folder = installed_configs().string();
    return folder.c_str();
}

cavern_drive* cavern_open(const char* config, const char* const* overrides) {
    auto drive = std::make_unique<cavern_drive>();
    const int result = guarded(last_error(), [&] {
        std::vector<std::string> settings;
        for (; overrides != nullptr && *overrides != nullptr; ++overrides) {
            settings.emplace_back(*overrides);
        }
        const DrivePlan opened = open_config(config, settings);
        take_the_kernel(config);
        SsdProbes probes;
        const DriveController controller = make_controller(opened);
        probes.decision_cost = controller.cost;
        probes.data = &drive->data;
        drive->live = std::make_unique<LiveDrive>(
            opened, build_core(opened, nullptr, controller.parts.get()), probes);
    });
    return result == 0 ? drive.release() : nullptr;
}

const char* cavern_error(const cavern_drive* drive) {
    return (drive == nullptr ? last_error() : drive->error).c_str();
}

uint64_t cavern_capacity(const cavern_drive* drive) {
    return drive->live->capacity();
}

int cavern_submit(cavern_drive* drive, const cavern_request* request) {
    const std::uint64_t capacity = drive->live->capacity();
    const bool flushes = request->op == CAVERN_FLUSH;
    const bool moves = request->op == CAVERN_READ || request->op == CAVERN_WRITE;
    if (drive->failed) {
        return -1;
    }
    if (request->op > CAVERN_FLUSH || (request->flags & ~3u) != 0) {
        return refuse(*drive, "unknown op " + std::to_string(request->op) + " or flags",
                      "CAVERN_READ to CAVERN_FLUSH, CAVERN_FUA and CAVERN_KEEPS_PLACE");
    }
    if (flushes ? request->offset != 0 || request->bytes != 0
                : request->bytes == 0 || request->offset % kSectorBytes != 0 ||
                      request->bytes % kSectorBytes != 0) {
        return refuse(*drive, "a request has no whole sectors, or a FLUSH has some",
                      "multiples of 512 bytes; 0 for a FLUSH");
    }
    if (request->offset > capacity || request->bytes > capacity - request->offset) {
        return refuse(*drive, "a request reaches beyond the drive",
                      "less than " + std::to_string(capacity) + " bytes");
    }
    if (moves && (request->data == nullptr || request->bytes > UINT32_MAX)) {
        return refuse(*drive, "a request has no data, or 4 GiB of them", "a buffer of its bytes");
    }
    return guarded(drive->error, [&] {
        const LiveRequest live{static_cast<LiveOp>(request->op),
                               (request->flags & CAVERN_FUA) != 0,
                               (request->flags & CAVERN_KEEPS_PLACE) != 0,
                               request->offset,
                               request->bytes,
                               drive->data.add(request->tag, request->data)};
        static_cast<void>(drive->live->submit(live));
    });
}

int cavern_poll(cavern_drive* drive, cavern_completion* completion) {
    LiveCompletion done;
    if (!drive->live->poll(done)) {
        return 0;
    }
    *completion = {drive->data.end(done.tag), static_cast<std::uint32_t>(done.status), 0,
                   done.submitted, done.completed};
    return 1;
}

uint32_t cavern_outstanding(const cavern_drive* drive) {
    return drive->live->outstanding();
}

uint64_t cavern_now(const cavern_drive* drive) {
    return drive->live->now();
}

uint64_t cavern_next_event(const cavern_drive* drive) {
    return drive->live->next_event();
}

int cavern_step_to(cavern_drive* drive, uint64_t time) {
    if (time == CAVERN_NEVER) {
        return refuse(*drive, "time cannot be stepped to CAVERN_NEVER",
                      "cavern_step_to_completion()");
    }
    return step(drive, &LiveDrive::step_to, time);
}

int cavern_step_to_completion(cavern_drive* drive, uint64_t limit) {
    return step(drive, &LiveDrive::step_to_completion, limit);
}

int cavern_close(cavern_drive* drive) {
    const std::unique_ptr<cavern_drive> closed(drive);
    if (drive->failed) {
        last_error() = drive->error;
        return -1;
    }
    return guarded(last_error(), [&] {
        drive->live->finish();
        static_cast<void>(drive->live->ssd().check_end_of_run());
    });
}
