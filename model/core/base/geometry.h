#pragma once

#include <cstdint>

#include "core/base/strong_id.h"

namespace cavern {

/// Mapping units of a NAND page at most, and of what is programmed as one in a plane.
inline constexpr std::uint32_t kMaxUnits = 32;

/// Shape of the flash array. Flat identifiers: die = channel + C * (way + W * die in way), so that
/// consecutive dies lie on consecutive channels; plane, block and page follow by multiplication.
///
/// A page here is what the map has an entry for. Where several of these mapping units share a NAND
/// page (in_units), they are its parts in ascending order, and are programmed together.
struct Geometry {
    std::uint32_t channels = 8;
    std::uint32_t ways = 4;
    std::uint32_t dies_per_way = 1;
    std::uint32_t planes_per_die = 1;
    std::uint32_t blocks_per_plane = 8192;
    std::uint32_t pages_per_block = 64;
    std::uint32_t page_bytes = 2048;
    std::uint32_t spare_bytes = 64;
    std::uint32_t units_per_page = 1; ///< mapping units of a NAND page, a power of two
    /// The first blocks of each plane store one bit in a cell, and have so many of their pages.
    std::uint32_t slc_blocks = 0;
    std::uint32_t slc_pages = 0;
    /// Pages of a word line, which one command programs (one-shot); but in SLC mode. 1: each page
    /// by itself. It divides `pages_per_block`.
    std::uint32_t word_line_pages = 1;

    /// The same drive mapped in units of `unit_bytes`, a part of a page or all of it.
    [[nodiscard]] Geometry in_units(std::uint32_t unit_bytes) const {
        Geometry units = *this;
        units.units_per_page = page_bytes / unit_bytes;
        units.pages_per_block *= units.units_per_page;
        units.slc_pages *= units.units_per_page;
        units.page_bytes = unit_bytes;
        units.spare_bytes /= units.units_per_page;
        return units;
    }
    /// The same drive with what is programmed as one in a plane as its pages.
    [[nodiscard]] Geometry in_word_lines() const {
        Geometry lines = *this;
        lines.pages_per_block /= word_line_pages;
        lines.slc_pages /= word_line_pages;
        lines.page_bytes *= word_line_pages;
        lines.spare_bytes *= word_line_pages;
        lines.word_line_pages = 1;
        return lines;
    }
    /// Mapping units that are programmed as one in a plane: of a page, or a word line.
    [[nodiscard]] std::uint32_t units_per_program() const {
        return units_per_page * word_line_pages;
    }
    /// The same where `page` lies.
    [[nodiscard]] std::uint32_t units_per_program(Ppn page) const {
        return word_line_pages != 1 && is_slc(page) ? units_per_page : units_per_program();
    }
    [[nodiscard]] std::uint32_t dies() const { return channels * ways * dies_per_way; }
    [[nodiscard]] std::uint32_t dies_per_channel() const { return ways * dies_per_way; }
    [[nodiscard]] std::uint32_t planes() const { return dies() * planes_per_die; }
    [[nodiscard]] std::uint32_t blocks() const { return planes() * blocks_per_plane; }
    [[nodiscard]] std::uint64_t pages() const { return std::uint64_t{blocks()} * pages_per_block; }
    [[nodiscard]] std::uint64_t raw_bytes() const { return pages() * page_bytes; }
    /// The drive of its other blocks alone, with numbers of their own.
    [[nodiscard]] Geometry without_slc() const {
        Geometry rest = *this;
        rest.blocks_per_plane -= slc_blocks;
        rest.slc_blocks = rest.slc_pages = 0;
        return rest;
    }

    [[nodiscard]] DieId die(ChannelId channel, WayId way, std::uint32_t die_in_way = 0) const {
        return DieId{raw(channel) + channels * (raw(way) + ways * die_in_way)};
    }
    [[nodiscard]] ChannelId channel_of(DieId die) const { return ChannelId{raw(die) % channels}; }
    [[nodiscard]] WayId way_of(DieId die) const { return WayId{raw(die) / channels % ways}; }
    /// Position of a die among those of its channel: way + W * die in way. Arbiter request lines
    /// are numbered so.
    [[nodiscard]] std::uint32_t slot_of(DieId die) const { return raw(die) / channels; }

    [[nodiscard]] DieId die_at(ChannelId channel, std::uint32_t slot) const {
        return DieId{raw(channel) + channels * slot};
    }

    [[nodiscard]] PlaneId plane(DieId die, std::uint32_t plane_in_die) const {
        return PlaneId{raw(die) * planes_per_die + plane_in_die};
    }
    [[nodiscard]] DieId die_of(PlaneId plane) const { return DieId{raw(plane) / planes_per_die}; }
    [[nodiscard]] std::uint32_t plane_in_die(PlaneId plane) const {
        return raw(plane) % planes_per_die;
    }
    [[nodiscard]] BlockId block(PlaneId plane, std::uint32_t block_in_plane) const {
        return BlockId{raw(plane) * blocks_per_plane + block_in_plane};
    }
    [[nodiscard]] PlaneId plane_of(BlockId block) const {
        return PlaneId{raw(block) / blocks_per_plane};
    }
    [[nodiscard]] std::uint32_t block_in_plane(BlockId block) const {
        return raw(block) % blocks_per_plane;
    }
    [[nodiscard]] bool is_slc(BlockId block) const {
        return slc_blocks != 0 && block_in_plane(block) < slc_blocks;
    }
    [[nodiscard]] Ppn page(BlockId block, std::uint32_t page_in_block) const {
        return Ppn{std::uint64_t{raw(block)} * pages_per_block + page_in_block};
    }
    [[nodiscard]] BlockId block_of(Ppn page) const {
        return BlockId{static_cast<std::uint32_t>(raw(page) / pages_per_block)};
    }
    [[nodiscard]] std::uint32_t page_in_block(Ppn page) const {
        return static_cast<std::uint32_t>(raw(page) % pages_per_block);
    }
    /// Of the NAND page within its block: what the page type goes by.
    [[nodiscard]] std::uint32_t nand_page_in_block(Ppn page) const {
        return page_in_block(page) / units_per_page;
    }
    [[nodiscard]] DieId die_of(Ppn page) const {
        const std::uint64_t pages = std::uint64_t{pages_per_block} * blocks_per_plane;
        return DieId{static_cast<std::uint32_t>(raw(page) / (pages * planes_per_die))};
    }
    [[nodiscard]] bool is_slc(Ppn page) const { return slc_blocks != 0 && is_slc(block_of(page)); }
    [[nodiscard]] DieId die_of(BlockId block) const { return die_of(plane_of(block)); }
    [[nodiscard]] Lbn lbn_of(Lpn lpn) const { return Lbn{raw(lpn) / pages_per_block}; }
};

} // namespace cavern
