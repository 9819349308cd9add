#pragma once

#include "timed/nand/nand_die.h"

namespace cavern {

// What a die may have beside its array and page register.

/// The register through which data are on the bus while the array works: a page that was read moves
/// there while the array reads another one of the block, and data of a program come in while the
/// array programs the one before.
class CacheRegister final : private EventHandlerIf {
  public:
    explicit CacheRegister(NandDie& die) : die_(die) {}

    /// 31h, with the read that the array begins when the page before it has left the page register;
    /// or, for the last one, 3Fh.
    void read(tlm::tlm_generic_payload& payload, NandExtension& command, TimePs at, bool last);
    /// A program whose data come in while the array is busy: taken if it is one of the same blocks,
    /// it waits for the array.
    void latch_behind(tlm::tlm_generic_payload& payload, const NandExtension& command, TimePs at);
    /// The array begins with a command, or goes on with it. It takes the data of a program from
    /// here.
    void begins(const NandExtension& command, TimePs from);
    void ended(tlm::tlm_generic_payload& payload);
    /// What the array ends with is no read, or no page of it is left.
    void forget() { in_page_register_ = nullptr; }
    /// Data of a program can come in no longer.
    void close();

    /// A page can be moved out while the array reads.
    [[nodiscard]] bool moves_out() const { return moves_out_; }
    /// The read that the array has not ended, but for the last one that it was given.
    [[nodiscard]] const tlm::tlm_generic_payload* ahead() const {
        return read_ends_ ? to_cache_ : nullptr;
    }

  private:
    enum : std::uint64_t { kPageCached, kFree };
    void on_event(std::uint64_t what) override;
    void page_cached();
    void start_behind();

    NandDie& die_;
    tlm::tlm_generic_payload* in_page_register_ = nullptr; ///< what the array ended last, if a read
    tlm::tlm_generic_payload* to_cache_ = nullptr;         ///< the read whose page goes there
    tlm::tlm_generic_payload* behind_ = nullptr;           ///< the program that waits for the array
    TimePs behind_at_ = 0;                                 ///< when that was latched
    bool read_ends_ = false;                               ///< that read has not been counted
    bool moves_out_ = false;
    bool free_ = false;        ///< a program can be latched while the array programs
    TimePs frees_at_ = kNever; ///< when that will be so
};

/// The page register while it holds what a copy-back reads (ONFI 5.0, COPYBACK).
class CopyRegister final : private EventHandlerIf {
  public:
    explicit CopyRegister(NandDie& die) : die_(die) {}

    /// 00h-35h: it takes what the program is to copy.
    void read(tlm::tlm_generic_payload& payload, const NandExtension& command, TimePs at);
    /// A command is latched: the plane stays, and so does the page register until the program.
    void check(const NandExtension& command) const;
    void programmed(const NandExtension& command);
    [[nodiscard]] const PageContent& content() const { return content_; }
    /// When the array reads, or read, what is copied.
    TimePs from = 0;
    TimePs until = 0;

  private:
    void on_event(std::uint64_t what) override;

    NandDie& die_;
    Ppn page_ = kNoPpn; ///< for a program of the same plane
    PageContent content_;
};

/// READ STATUS (70h, 78h) of a die whose R/B# the controller does not look at.
class StatusByte final : private EventHandlerIf {
  public:
    explicit StatusByte(NandDie& die) : die_(die) {}

    /// R/B# rises.
    void ended(tlm::tlm_generic_payload& payload);
    [[nodiscard]] bool untold() const { return ended_ != nullptr; }
    /// The status byte is out at `at`.
    void ask(const tlm::tlm_generic_payload& payload, TimePs at);

  private:
    void on_event(std::uint64_t what) override;

    NandDie& die_;
    tlm::tlm_generic_payload* ended_ = nullptr; ///< no poll has found this out yet
    TimePs ended_at_ = 0;
};

} // namespace cavern
