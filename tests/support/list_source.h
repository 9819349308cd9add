#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "workload/request.h"

namespace cavern::testing {

/// Requests one after the other, as they are.
class ListSource final : public RequestSourceIf {
  public:
    explicit ListSource(std::vector<HostRequest> requests) : requests_(std::move(requests)) {}
    bool next(HostRequest& request) override {
        if (next_ == requests_.size()) {
            return false;
        }
        request = requests_[next_++];
        return true;
    }

  private:
    std::vector<HostRequest> requests_;
    std::size_t next_ = 0;
};

} // namespace cavern::testing
