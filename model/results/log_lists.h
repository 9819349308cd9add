#pragma once

#include <vector>

#include "timed/host/host_interface.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// Several that are told of requests.
class RequestLogs final : public RequestLogIf {
  public:
    /// Which may be null.
    void add(RequestLogIf* log) {
        if (log != nullptr) {
            logs_.push_back(log);
        }
    }
    /// Null where there is none.
    [[nodiscard]] RequestLogIf* get() { return logs_.empty() ? nullptr : this; }
    void completed(const CompletedRequest& request) override {
        for (RequestLogIf* log : logs_) {
            log->completed(request);
        }
    }
    void statistics_restarted() override {
        for (RequestLogIf* log : logs_) {
            log->statistics_restarted();
        }
    }

  private:
    std::vector<RequestLogIf*> logs_;
};

/// Several that listen to buses and dies.
class ActivityLogs final : public ActivityLogIf {
  public:
    void add(ActivityLogIf& log) { logs_.push_back(&log); }
    /// All together; null: there is none.
    [[nodiscard]] ActivityLogIf* get() {
        return logs_.empty() ? nullptr : logs_.size() == 1 ? logs_.front() : this;
    }

    void bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
             TimePs duration, const NandExtension& command) override {
        for (ActivityLogIf* log : logs_) {
            log->bus(channel, slot, phase, start, duration, command);
        }
    }
    void grant(ChannelId channel, std::uint32_t slot, TimePs at, TimePs waited) override {
        for (ActivityLogIf* log : logs_) {
            log->grant(channel, slot, at, waited);
        }
    }
    void array(DieId die, TimePs start, TimePs duration, const NandExtension& command) override {
        for (ActivityLogIf* log : logs_) {
            log->array(die, start, duration, command);
        }
    }
    void host_queue(TimePs at, std::uint32_t outstanding) override {
        for (ActivityLogIf* log : logs_) {
            log->host_queue(at, outstanding);
        }
    }
    void buffer_pages(TimePs at, std::uint32_t resident) override {
        for (ActivityLogIf* log : logs_) {
            log->buffer_pages(at, resident);
        }
    }

  private:
    std::vector<ActivityLogIf*> logs_;
};

} // namespace cavern
