#pragma once

#include <algorithm>
#include <cstdint>

namespace cavern {

/// For how many clocks at least one bank of a rank had a row open.
class OpenTime {
  public:
    void open(std::uint64_t at) {
        if (banks_++ == 0) {
            since_ = at;
        }
    }
    void close(std::uint64_t at) {
        if (--banks_ == 0) {
            clocks_ += at - since_;
        }
    }
    void close_all(std::uint64_t at) {
        if (banks_ != 0) {
            clocks_ += at - since_;
            banks_ = 0;
        }
    }
    /// Up to `now`; commands settled ahead of it are counted in full once they are past.
    [[nodiscard]] std::uint64_t clocks(std::uint64_t now) const {
        return clocks_ + (banks_ == 0 ? 0 : std::max(now, since_) - since_);
    }
    void reset(std::uint64_t now) {
        clocks_ = 0;
        since_ = std::max(now, since_);
    }

  private:
    std::uint32_t banks_ = 0;
    std::uint64_t since_ = 0;
    std::uint64_t clocks_ = 0;
};

} // namespace cavern
