#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "firmware/twin/firmware_core.h"

namespace cavern::testing {

/// What a firmware answers, to be changed.
struct FirmwareAnswer {
    DecisionCall::Kind call = DecisionCall::Kind::kWrite;
    bool hit = false;
    FrameId frame = kNoFrame;
    Ppn page = kNoPpn;
    bool done = true; ///< there was something to do
    std::uint32_t units = 0;
    std::vector<Victim> victims;
    std::vector<FrameId> trimmed;
    FlashOpList ops;
};

/// Firmware that answers as it should until a lie fits, and then with the lie.
class Liar final : public FirmwareIf {
  public:
    /// `lie` changes the answer and returns true, or returns false: not yet.
    using Lie = std::function<bool(FirmwareAnswer&)>;

    Liar(const FirmwareParams& params, Lie lie) : sound_(params), lie_(std::move(lie)) {}

    [[nodiscard]] bool has_lied() const { return has_lied_; }

    WriteDecision write(Lpn lpn) override { return written(Call::kWrite, sound_.write(lpn)); }
    WriteDecision write_through(Lpn lpn) override {
        return written(Call::kWriteThrough, sound_.write_through(lpn));
    }
    ReadDecision read(Lpn lpn) override {
        const ReadDecision sound = sound_.read(lpn);
        begin(Call::kRead, &sound.batch);
        answer_.hit = sound.hit;
        answer_.frame = sound.frame;
        answer_.page = sound.page;
        tell();
        return {answer_.hit, answer_.frame, answer_.page, false, sound.version, batch_};
    }
    TrimDecision trim(Lpn first, std::uint64_t count) override {
        const TrimDecision sound = sound_.trim(first, count);
        begin(Call::kTrim, &sound.batch);
        answer_.trimmed = sound.frames;
        tell();
        return {sound.pages, answer_.trimmed, batch_};
    }
    const Batch* flush_step() override { return asked(Call::kFlushStep, sound_.flush_step()); }
    const Batch* maintain(PlaneId plane, std::uint32_t copies) override {
        return asked(Call::kMaintain, sound_.maintain(plane, copies));
    }
    const Batch& fill(const Lpn* lpns, std::size_t count) override {
        return *asked(Call::kFill, &sound_.fill(lpns, count));
    }

  private:
    using Call = DecisionCall::Kind;

    void begin(Call call, const Batch* sound) {
        answer_ = FirmwareAnswer();
        answer_.call = call;
        answer_.done = sound != nullptr;
        if (sound != nullptr) {
            answer_.units = sound->units;
            answer_.victims = sound->victims;
            answer_.ops = sound->ops;
        }
    }
    void tell() {
        has_lied_ = has_lied_ || lie_(answer_);
        batch_.units = answer_.units;
    }
    WriteDecision written(Call call, const WriteDecision& sound) {
        begin(call, &sound.batch);
        answer_.hit = sound.hit;
        answer_.frame = sound.frame;
        tell();
        return {answer_.hit, answer_.frame, batch_};
    }
    const Batch* asked(Call call, const Batch* sound) {
        begin(call, sound);
        tell();
        return answer_.done ? &batch_ : nullptr;
    }

    FirmwareCore sound_;
    Lie lie_;
    bool has_lied_ = false;
    FirmwareAnswer answer_;
    const std::vector<FrameId> nothing_;
    Batch batch_{answer_.ops, answer_.victims, nothing_};
};

} // namespace cavern::testing
