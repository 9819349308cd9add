#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/data/drive_data.h"

namespace cavern {

/// Data between host and flash where time passes: what lies in frames and staging pages of the
/// SDRAM, and in the page buffers of the channels. The timed shell calls it at the moment when a
/// transfer begins or ends; by number, as this class knows no more of pages in motion:
///   task    a page of a host command            op      an operation of the flash scheduler
///   frame   a physical frame of the SDRAM       record  a page that has a frame, or will have one
///   copy    a page of the SDRAM for copies
/// A staging page belongs to its task: two tasks whose staging addresses are the same do not share
/// it.
class DataPath {
  public:
    DataPath(DriveData& data, std::uint32_t frames, std::uint32_t copy_pages)
        : data_(data), frames_(data.store(), frames), copies_(copy_pages) {}

    // ---- pages of commands
    void begin_write(std::uint32_t task, std::uint64_t request, std::uint64_t in_command,
                     std::uint64_t offset, std::uint32_t bytes) {
        data_.begin_write(grown(tasks_, task), request, in_command, offset, bytes);
    }
    void begin_read(std::uint32_t task, std::uint64_t request, std::uint64_t in_command,
                    std::uint64_t offset, std::uint32_t bytes) {
        data_.begin_read(grown(tasks_, task), request, in_command, offset, bytes);
    }
    void trim(std::uint64_t request, Lpn first, std::uint64_t pages) {
        data_.trim(request, first, pages);
    }
    /// The data of the task could not be corrected.
    void lose(std::uint32_t task) { tasks_[task].lost = true; }
    void deliver(std::uint32_t task) {
        data_.deliver(tasks_[task]);
        tasks_[task].content = {};
    }

    // ---- frames
    /// Another page has the frame now; what lacked a frame and came before, goes in.
    void grant(std::uint32_t frame, std::uint32_t record) {
        frames_.clear(frame);
        if (record < rests_.size()) {
            frames_.join(frame, std::exchange(rests_[record], {}));
        }
    }
    void write(std::uint32_t task, std::uint32_t frame) {
        data_.write(tasks_[task], frames_, frame);
    }
    /// A frame goes to the task: on its way to the host, or to another frame.
    void take(std::uint32_t task, std::uint32_t frame) {
        tasks_[task].content = frames_.content(frame);
        tasks_[task].source = {ContentSource::Kind::kFrame, frame};
    }
    /// What the task has read fills up a frame.
    void keep(std::uint32_t task, std::uint32_t frame) {
        frames_.join(frame, tasks_[task].content);
    }

    /// What has come into the frame, over what the page held before: when the power is gone.
    [[nodiscard]] PageContent rescue(std::uint32_t frame, const PageContent& before) {
        frames_.join(frame, before);
        return frames_.content(frame);
    }

    // ---- the flash
    [[nodiscard]] PageContents& flash() { return data_.flash(); }
    /// An operation begins that has no data yet: programs that get none write zeros.
    void begin(std::uint32_t op) { grown(ops_, op) = {}; }
    [[nodiscard]] const PageContent& of(std::uint32_t op) const { return ops_[op]; }
    /// A page has come out of the die.
    void out_of_die(std::uint32_t op, PageContent content) { ops_[op] = std::move(content); }
    /// It is for a task.
    void stage(std::uint32_t op, std::uint32_t task, Ppn page) {
        tasks_[task].content = ops_[op];
        tasks_[task].source = {ContentSource::Kind::kFlash, raw(page)};
    }
    void fetch_frame(std::uint32_t op, std::uint32_t frame) { ops_[op] = frames_.content(frame); }
    void store_copy(std::uint32_t op, std::uint32_t copy_page) { copies_[copy_page] = ops_[op]; }
    void fetch_copy(std::uint32_t op, std::uint32_t copy_page) { ops_[op] = copies_[copy_page]; }
    /// What a page of the host lacks.
    void store_rest(std::uint32_t op, std::uint32_t frame) { frames_.join(frame, ops_[op]); }
    /// The same of one that has no frame yet.
    void hold_rest(std::uint32_t op, std::uint32_t record) { grown(rests_, record) = ops_[op]; }

  private:
    friend struct DataPathProbe; // tests spoil what is in motion to see it noticed

    template <typename T>
    [[nodiscard]] static T& grown(std::vector<T>& items, std::uint32_t index) {
        if (index >= items.size()) {
            items.resize(std::size_t{index} + 1);
        }
        return items[index];
    }

    DriveData& data_;
    FrameContents frames_;
    std::vector<PageContent> copies_;
    std::vector<PageOfCommand> tasks_;
    std::vector<PageContent> ops_;
    std::vector<PageContent> rests_; ///< by record, which has no frame
};

} // namespace cavern
