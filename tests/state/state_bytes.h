#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/state_archive.h"
#include "drive/drive_beginning.h"

namespace cavern::testing {

/// Saves into a string.
class StateToBytes final : public StateArchive {
  public:
    std::string bytes;
    [[nodiscard]] bool loads() const override { return false; }

  protected:
    void move(void* from, std::size_t size) override {
        bytes.append(static_cast<const char*>(from), size);
    }
};

class StateFromBytes final : public StateArchive {
  public:
    explicit StateFromBytes(std::string bytes) : bytes_(std::move(bytes)) {}
    [[nodiscard]] bool loads() const override { return true; }
    [[nodiscard]] bool at_end() const { return next_ == bytes_.size(); }

  protected:
    void move(void* to, std::size_t size) override {
        if (size > bytes_.size() - next_) {
            throw StateError("it ends too early; save it anew");
        }
        std::memcpy(to, bytes_.data() + next_, size);
        next_ += size;
    }

  private:
    std::string bytes_;
    std::size_t next_ = 0;
};

/// All that changes of a drive. `buffer` as for DriveCore::serialize().
[[nodiscard]] inline std::string bytes_of(const DriveCore& core, const NandArray& array,
                                          bool buffer = true) {
    StateToBytes to;
    const_cast<DriveCore&>(core).serialize(to, buffer);
    to(const_cast<NandArray&>(array));
    return to.bytes;
}

/// A drive that begins with these.
class BeginningOfBytes final : public DriveBeginningIf {
  public:
    explicit BeginningOfBytes(std::string bytes) : bytes_(std::move(bytes)) {}
    PreconditionResult begin(DriveCore& core, NandArray& array, UntimedData*) override {
        StateFromBytes from(bytes_);
        core.serialize(from, true);
        from(array);
        at_end = from.at_end();
        return {};
    }
    bool at_end = false;

  private:
    std::string bytes_;
};

} // namespace cavern::testing
