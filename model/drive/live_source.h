#pragma once

#include "core/base/ring.h"
#include "workload/request.h"

namespace cavern {

/// Requests as they come, while the simulation runs. Whoever pushes one tells the host
/// (HostInterface::ask_again()).
class LiveSource final : public RequestSourceIf {
  public:
    void push(const HostRequest& request) { waiting_.push(request); }
    /// No request comes any more.
    void close() { open_ = false; }

    bool next(HostRequest& request) override {
        if (waiting_.empty()) {
            return false;
        }
        request = waiting_.pop();
        return true;
    }
    [[nodiscard]] bool is_live() const override { return open_; }

  private:
    Ring<HostRequest> waiting_;
    bool open_ = true;
};

} // namespace cavern
