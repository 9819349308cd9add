#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/memory_map.h"

namespace cavern::cpu {

class MemorySystem;

struct Symbol {
    std::string name;
    std::uint32_t address = 0;
    std::uint32_t size = 0; ///< 0 where the image does not say (labels of assembly)
    bool function = false;
};

struct SourceLine {
    std::string file; ///< as the compiler was given it
    std::uint32_t line = 0;
};

/// An address of a line of the source.
struct LineRow {
    std::uint32_t address = 0; ///< first
    std::uint32_t end = 0;     ///< after the last
    std::uint32_t file = 0;    ///< of Program::files()
    std::uint32_t line = 0;
};

/// Bytes of the image at their place. Memory beyond the bytes up to `size` is zero.
struct Segment {
    std::uint32_t address = 0;
    std::uint32_t size = 0;
    std::vector<std::uint8_t> bytes;
};

/// A firmware image: an ELF32 executable for RISC-V with its symbols and, when compiled with -g,
/// its source lines (DWARF).
class Program {
  public:
    /// Throws UserError: not readable, no ELF, not for RV32, cut short, or a segment that does not
    /// lie in one memory of `map`.
    static Program read(const std::string& path, const MemoryMap& map);
    /// Reads a program from bytes; `path` names them in messages.
    static Program parse(const std::string& path, const std::vector<std::uint8_t>& image,
                         const MemoryMap& map);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::uint32_t entry() const { return entry_; }
    [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
    /// By address.
    [[nodiscard]] const std::vector<Symbol>& symbols() const { return symbols_; }
    [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
    /// By address, without overlap.
    [[nodiscard]] const std::vector<LineRow>& lines() const { return lines_; }

    /// Copies the segments into memory and clears the rest of each.
    void load_into(MemorySystem& memory) const;

    /// The function (or the label of code) that `address` lies in; null for none.
    [[nodiscard]] const Symbol* symbol_at(std::uint32_t address) const;
    [[nodiscard]] std::optional<std::uint32_t> address_of(std::string_view symbol) const;
    [[nodiscard]] std::optional<SourceLine> source_line(std::uint32_t address) const;
    /// "0x00100094 in main+0x10 (hello.c:12)", as much as is known.
    [[nodiscard]] std::string describe(std::uint32_t address) const;

  private:
    std::string path_;
    std::uint32_t entry_ = 0;
    std::vector<Segment> segments_;
    std::vector<Symbol> symbols_;
    std::vector<std::string> files_;
    std::vector<LineRow> lines_;
};

} // namespace cavern::cpu
