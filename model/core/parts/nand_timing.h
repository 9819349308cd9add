#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/units.h"

namespace cavern {

/// How a program or erase makes room for reads. ONFI has no such commands; makers give theirs in
/// data sheets (Micron MT29F: PROGRAM SUSPEND 84h, ERASE SUSPEND 61h, each with the row).
struct NandSuspend {
    bool programs = false;
    bool erases = false;
    std::uint32_t cycles = 4; ///< command and address cycles of a suspend, and of a resume
    TimePs t_suspend = 0;     ///< from the command until the die takes a read
    TimePs t_resume = 0;      ///< what a suspension adds to tPROG, tBERS
    TimePs least_run = 0;     ///< of the array, from start or resume to the next suspend
    std::uint32_t limit = 0;  ///< suspensions of one operation; 0: any number

    [[nodiscard]] bool any() const { return programs || erases; }
};

/// The cache register beside the page register: data are on the bus while the array works
/// (ONFI 5.0, READ CACHE and PAGE CACHE PROGRAM).
struct NandCache {
    bool reads = false;
    bool programs = false;
    TimePs t_rcbsy = 0; ///< tRCBSY, at least: a page goes to the cache register
    TimePs t_cbsy = 0;  ///< tCBSY, at least: and from there

    [[nodiscard]] bool any() const { return reads || programs; }
};

/// Copies within a plane that do not pass the controller, and so no ECC (ONFI 5.0, COPYBACK).
struct NandCopyBack {
    bool on = false;
    std::uint32_t limit = 1; ///< so often in a row, at most 255

    /// Copies in a row that a page may have behind it; 0: no copy-back.
    [[nodiscard]] std::uint32_t most() const { return on ? limit : 0; }
};

/// How the controller learns that the array has ended. Without R/B# it asks for the status
/// (ONFI 5.0, READ STATUS 70h, READ STATUS ENHANCED 78h), and asks again.
struct NandPolls {
    bool on = false;
    std::uint32_t cycles = 4; ///< 78h, 3 row address
    TimePs after = 0;         ///< the command, at least tWB: the first
    TimePs interval = kUs;    ///< from the end of one to the next
};

/// FFh at the beginning of the run, to idle dies (ONFI 5.0, RESET).
struct NandReset {
    bool on = false;
    TimePs t_rst = 5 * kUs;
};

/// The pages of a word line, one of each page type, are programmed by one command. ONFI has no such
/// command; makers have one of their own each, by which the data of all pages enter before the last
/// confirm. Each page but the last ends here as a plane does (11h).
struct NandOneShot {
    bool on = false;
    TimePs t_prog = 0; ///< of a word line; 0: tPROG of its pages, one behind the other
};

/// Times of a NAND part and its bus, by data-sheet symbol. Multi-level parts have a tR and a tPROG
/// per page type: the type of page p is p mod (number of entries).
///
/// The gaps are those of ONFI 5.0, 4.16: what lies between two things on the bus. Zero: not
/// modelled.
struct NandTiming {
    std::vector<TimePs> t_r;    ///< array to page register, per page type; at least one
    std::vector<TimePs> t_prog; ///< page register to array, per page type; at least one
    TimePs t_bers = 0;
    /// tR and tPROG of blocks in SLC mode (Geometry::slc_blocks).
    TimePs slc_t_r = 0;
    TimePs slc_t_prog = 0;
    /// One byte on the bus, in femtoseconds: 2400 MT/s is 416,666 fs, which picoseconds would miss
    /// by 0.2 %.
    std::uint64_t bus_byte_fs = 0;
    TimePs command_cycle = 0;         ///< one command or address cycle
    std::uint32_t read_cycles = 7;    ///< 00h, 5 address, 30h
    std::uint32_t program_cycles = 7; ///< 80h, 5 address, 10h
    std::uint32_t erase_cycles = 5;   ///< 60h, 3 address, D0h

    TimePs t_wb = 0;   ///< tWB: last command cycle to busy
    TimePs t_adl = 0;  ///< tADL: last address cycle to data in
    TimePs t_ccs = 0;  ///< tCCS: change of column to data out
    TimePs t_rhw = 0;  ///< tRHW: data out to the next command cycle on the bus
    TimePs t_whr = 0;  ///< tWHR: command or address to the status
    TimePs t_dbsy = 0; ///< tDBSY (tPLRBSY, tPLPBSY, tPLEBSY): busy between the planes of a command

    NandSuspend suspend;
    NandCache cache;
    NandCopyBack copy_back;
    NandPolls polls;
    NandReset reset;
    NandOneShot one_shot;

    /// As many as there are pages in a word line.
    [[nodiscard]] std::uint32_t page_types() const {
        return static_cast<std::uint32_t>(std::max(t_r.size(), t_prog.size()));
    }
    /// tPROG of all that is programmed but in SLC mode: per page type, or of a word line.
    [[nodiscard]] std::vector<TimePs> program_times() const {
        if (!one_shot.on) {
            return t_prog;
        }
        const TimePs pages = std::accumulate(t_prog.begin(), t_prog.end(), TimePs{0});
        return {one_shot.t_prog != 0 ? one_shot.t_prog : pages * page_types() / t_prog.size()};
    }

    /// The command cycles of `planes` planes, of `cycles` each: after each but the last the die is
    /// busy for a moment, in which the bus is kept.
    [[nodiscard]] TimePs multi_plane_time(std::uint32_t planes, std::uint32_t cycles) const {
        return planes * (cycles * command_cycle) + (planes - 1) * (t_wb + t_dbsy);
    }

    /// READ STATUS on the bus.
    [[nodiscard]] TimePs status_time() const {
        return polls.cycles * command_cycle + t_whr + data_time(1);
    }
    /// From a command to the first poll: before tWB the status may still be the old one.
    [[nodiscard]] TimePs first_poll() const { return polls.after > t_wb ? polls.after : t_wb; }

    /// Time of `bytes` on the bus.
    [[nodiscard]] TimePs data_time(std::uint64_t bytes) const {
        return (bytes * bus_byte_fs + 500) / 1000;
    }
};

} // namespace cavern
