#pragma once

#include <vector>

#include "timed/host/host_interface.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// Several that hear the same.
template <typename Log>
class Logs : public Log {
  public:
    /// Which may be null.
    void add(Log* log) {
        if (log != nullptr) {
            logs_.push_back(log);
        }
    }
    /// All together; null: there is none.
    [[nodiscard]] Log* get() {
        return logs_.empty() ? nullptr : logs_.size() == 1 ? logs_.front() : this;
    }

  protected:
    template <typename... Parameters, typename... Arguments>
    void tell(void (Log::*what)(Parameters...), const Arguments&... arguments) {
        for (Log* log : logs_) {
            (log->*what)(arguments...);
        }
    }

  private:
    std::vector<Log*> logs_;
};

class RequestLogs final : public Logs<RequestLogIf> {
  public:
    void completed(const CompletedRequest& request) override {
        tell(&RequestLogIf::completed, request);
    }
    void statistics_restarted() override { tell(&RequestLogIf::statistics_restarted); }
};

/// Of buses and dies.
class ActivityLogs final : public Logs<ActivityLogIf> {
  public:
    void bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
             TimePs duration, const NandExtension& command) override {
        tell(&ActivityLogIf::bus, channel, slot, phase, start, duration, command);
    }
    void grant(ChannelId channel, std::uint32_t slot, TimePs at, TimePs waited) override {
        tell(&ActivityLogIf::grant, channel, slot, at, waited);
    }
    void array(DieId die, TimePs start, TimePs duration, const NandExtension& command) override {
        tell(&ActivityLogIf::array, die, start, duration, command);
    }
    void host_queue(TimePs at, std::uint32_t outstanding) override {
        tell(&ActivityLogIf::host_queue, at, outstanding);
    }
    void buffer_pages(TimePs at, std::uint32_t resident) override {
        tell(&ActivityLogIf::buffer_pages, at, resident);
    }
};

} // namespace cavern
