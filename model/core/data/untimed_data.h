#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/data/drive_data.h"
#include "core/ftl/flash_op.h"

namespace cavern {

/// Data where no time passes: they move when that is decided. Frames are those of the core, which
/// it gives to the next page in the call in which their page leaves: a batch is carried out before
/// the page of its decision comes in.
class UntimedData {
  public:
    /// `frames` of the core; 0: it has no write buffer.
    UntimedData(DriveData& data, std::uint32_t frames)
        : data_(data), frames_(data.store(), frames + 1), through_(frames) {}

    /// Operations in the order decided: programs take what their frames hold now, or, of a page
    /// that passes, what write_through() has left.
    void carry_out(const FlashOpList& ops) { carry_out(ops, false); }
    /// The same before the run: programs of the host fill the drive.
    void fill(const FlashOpList& ops) { carry_out(ops, true); }
    void fill_run(Ppn page, Lpn lpn, std::uint32_t count);

    /// What one program takes; `read`: what the read that it follows has found. For operations that
    /// are decided now and done later, by who does them and is asked for pages of the flash.
    [[nodiscard]] PageContent take(const FlashOp& op, const PageContent& read) {
        return take(op, read, false);
    }
    using Reader = std::function<PageContent(Ppn)>;
    void read_from(Reader flash) { reader_ = std::move(flash); }
    /// The power is gone, and with it what the frames hold.
    void lose_frames();

    /// A page of a write; `new_page`: the frame held another one before. With FlashOp::kNoFrame it
    /// passes.
    void write(const PageOfCommand& page, std::uint32_t frame, bool new_page);
    /// A page of a read, whose decision has been carried out: from its frame, or from the flash,
    /// or as zeros (kNoPpn). One that is kept goes to its frame first.
    enum class Reads : std::uint8_t { kFrame, kFlash, kIntoNewFrame, kIntoOwnFrame };
    void read(PageOfCommand& page, Reads how, std::uint32_t frame, Ppn place);

    [[nodiscard]] DriveData& data() { return data_; }

  private:
    friend struct UntimedDataProbe; // tests spoil what is in motion to see it noticed

    void carry_out(const FlashOpList& ops, bool fills);
    [[nodiscard]] const PageContent& moved_by(const FlashOpList& ops, const FlashOp& op) const;
    [[nodiscard]] PageContent take(const FlashOp& op, const PageContent& read, bool fills);
    [[nodiscard]] std::uint32_t slot(std::uint32_t frame) const {
        return frame == FlashOp::kNoFrame ? through_ : frame;
    }

    DriveData& data_;
    Reader reader_;        ///< null: what is decided is done
    FrameContents frames_; ///< and one behind them, for pages that pass
    std::uint32_t through_;
    std::vector<PageContent> moved_; ///< scratch: what each operation of a list has moved
};

} // namespace cavern
