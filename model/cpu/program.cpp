#include "cpu/program.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <tuple>

#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/whole_file.h"
#include "cpu/memory_system.h"

namespace cavern::cpu {

namespace {

constexpr const char* kRight =
    "give an executable for RV32, as riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 links it";

struct ElfEnd {
    void operator()(Elf* elf) const { elf_end(elf); }
};
struct DwarfEnd {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;
using DwarfHandle = std::unique_ptr<Dwarf, DwarfEnd>;

[[noreturn]] void refuse(const std::string& path, const std::string& what,
                         const std::string& right = kRight) {
    throw UserError(path, what, right);
}

bool in_one_memory(const MemoryMap& map, std::uint32_t address, std::uint32_t size) {
    return map.instruction.contains(address, size) || map.data.contains(address, size) ||
           map.sdram.contains(address, size);
}

std::string memories(const MemoryMap& map) {
    const auto region = [](const MemoryRegion& r) {
        return fmt::format("0x{:08x} to 0x{:08x}", r.base, r.base + (r.size - 1));
    };
    return fmt::format("instruction memory is {}, data memory {}, SDRAM {}",
                       region(map.instruction), region(map.data), region(map.sdram));
}

GElf_Ehdr check_header(const std::string& path, Elf* elf, std::size_t size) {
    if (elf == nullptr || elf_kind(elf) != ELF_K_ELF) {
        refuse(path, "is no ELF file");
    }
    if (gelf_getclass(elf) != ELFCLASS32) {
        refuse(path, "is an ELF file, but not of 32 bits");
    }
    GElf_Ehdr header;
    if (gelf_getehdr(elf, &header) == nullptr) {
        refuse(path, "is cut short in its ELF header", "copy or link it again");
    }
    if (header.e_machine != EM_RISCV || header.e_ident[EI_DATA] != ELFDATA2LSB) {
        refuse(path, fmt::format("is an ELF file for another processor (e_machine {}), not RISC-V",
                                 header.e_machine));
    }
    if (header.e_type != ET_EXEC) {
        refuse(path, "is not linked to fixed addresses (e_type is not ET_EXEC)");
    }
    const std::size_t table_end =
        static_cast<std::size_t>(header.e_phoff) +
        static_cast<std::size_t>(header.e_phnum) * static_cast<std::size_t>(header.e_phentsize);
    if (table_end > size) {
        refuse(path, "is cut short in its program headers", "copy or link it again");
    }
    return header;
}

std::vector<Segment> read_segments(const std::string& path, Elf* elf,
                                   const std::vector<std::uint8_t>& image, const MemoryMap& map) {
    std::vector<Segment> segments;
    std::size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) {
        refuse(path, "has no readable program headers", "copy or link it again");
    }
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr header; // widened from 32 bits
        if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) {
            refuse(path, "has no readable program headers", "copy or link it again");
        }
        if (header.p_type != PT_LOAD || header.p_memsz == 0) {
            continue;
        }
        const auto address = static_cast<std::uint32_t>(header.p_vaddr);
        const auto size = static_cast<std::uint32_t>(header.p_memsz);
        const std::uint64_t end = header.p_offset + header.p_filesz;
        if (end > image.size() || header.p_filesz > header.p_memsz) {
            refuse(path,
                   fmt::format("is cut short: segment {} needs {} bytes, the file has {}", i, end,
                               image.size()),
                   "copy or link it again");
        }
        // Loaded where it is linked to run (p_vaddr); p_paddr is a start-up copy's source.
        if (!in_one_memory(map, address, size)) {
            refuse(path,
                   fmt::format("has {} bytes at 0x{:08x}, outside every memory", size, address),
                   memories(map));
        }
        Segment segment{address, size, {}};
        segment.bytes.assign(image.begin() + static_cast<std::ptrdiff_t>(header.p_offset),
                             image.begin() + static_cast<std::ptrdiff_t>(end));
        segments.push_back(std::move(segment));
    }
    if (segments.empty()) {
        refuse(path, "has nothing to load");
    }
    return segments;
}

std::vector<Symbol> read_symbols(Elf* elf) {
    std::vector<Symbol> symbols;
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf, section)) != nullptr) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) {
            continue;
        }
        Elf_Data* data = elf_getdata(section, nullptr);
        const int count = data == nullptr ? 0 : static_cast<int>(data->d_size / sizeof(Elf32_Sym));
        for (int i = 0; i < count; ++i) {
            GElf_Sym symbol;
            if (gelf_getsym(data, i, &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) {
                continue;
            }
            const int type = GELF_ST_TYPE(symbol.st_info);
            const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name == nullptr || *name == '\0' ||
                (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE)) {
                continue;
            }
            // Mapping symbols ($x) and local labels of the compiler name nothing.
            if (name[0] == '$' || std::strncmp(name, ".L", 2) == 0) {
                continue;
            }
            symbols.push_back({name, static_cast<std::uint32_t>(symbol.st_value),
                               static_cast<std::uint32_t>(symbol.st_size), type == STT_FUNC});
        }
    }
    // At one address the better name comes last: a function before a label, then by name.
    std::sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) {
        return std::tie(a.address, a.function, b.name) < std::tie(b.address, b.function, a.name);
    });
    return symbols;
}

} // namespace

/// Rows of the line tables of all compilation units.
class LineReader {
  public:
    LineReader(const std::vector<Segment>& segments, std::vector<std::string>& files,
               std::vector<LineRow>& rows)
        : segments_(segments), files_(files), rows_(rows) {}

    void read(Dwarf* dwarf) {
        Dwarf_Off offset = 0;
        Dwarf_Off next = 0;
        std::size_t header_size = 0;
        while (dwarf_nextcu(dwarf, offset, &next, &header_size, nullptr, nullptr, nullptr) == 0) {
            Dwarf_Die unit;
            if (dwarf_offdie(dwarf, offset + header_size, &unit) != nullptr) {
                read_unit(unit);
            }
            if (next <= offset) {
                break;
            }
            offset = next;
        }
        std::sort(rows_.begin(), rows_.end(), [](const LineRow& a, const LineRow& b) {
            return std::tie(a.address, a.end) < std::tie(b.address, b.end);
        });
        // Where two units claim the same bytes, the first one keeps them.
        std::uint32_t end = 0;
        rows_.erase(std::remove_if(rows_.begin(), rows_.end(),
                                   [&end](const LineRow& row) {
                                       const bool overlaps = row.address < end;
                                       end = overlaps ? end : row.end;
                                       return overlaps;
                                   }),
                    rows_.end());
    }

  private:
    void read_unit(Dwarf_Die& unit) {
        Dwarf_Lines* lines = nullptr;
        std::size_t count = 0;
        if (dwarf_getsrclines(&unit, &lines, &count) != 0) {
            return;
        }
        for (std::size_t i = 0; i + 1 < count; ++i) {
            Dwarf_Line* line = dwarf_onesrcline(lines, i);
            Dwarf_Line* after = dwarf_onesrcline(lines, i + 1);
            Dwarf_Addr begin = 0;
            Dwarf_Addr end = 0;
            int number = 0;
            bool last = false;
            const char* file = dwarf_linesrc(line, nullptr, nullptr);
            if (file == nullptr || dwarf_lineaddr(line, &begin) != 0 ||
                dwarf_lineaddr(after, &end) != 0 || dwarf_lineno(line, &number) != 0 ||
                dwarf_lineendsequence(line, &last) != 0 || last || end <= begin || number <= 0 ||
                end > 0xFFFF'FFFFu || !is_loaded(begin)) {
                continue;
            }
            rows_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                             number_of(file), static_cast<std::uint32_t>(number)});
        }
    }
    std::uint32_t number_of(const std::string& file) {
        const auto [place, added] =
            numbers_.emplace(file, static_cast<std::uint32_t>(files_.size()));
        if (added) {
            files_.push_back(file);
        }
        return place->second;
    }

    // Functions that the linker left out still have lines, at address 0.
    [[nodiscard]] bool is_loaded(std::uint64_t address) const {
        return std::any_of(segments_.begin(), segments_.end(), [address](const Segment& segment) {
            return address - segment.address < segment.size;
        });
    }

    const std::vector<Segment>& segments_;
    std::vector<std::string>& files_;
    std::vector<LineRow>& rows_;
    std::map<std::string, std::uint32_t> numbers_;
};

Program Program::read(const std::string& path, const MemoryMap& map) {
    const WholeFile file = read_whole(path, kMostBinaryBytes);
    if (!file.readable || file.too_long) {
        refuse(path,
               file.readable ? fmt::format("has more than {}", kMostBinary) : "cannot be read",
               "give the path of a firmware image");
    }
    return parse(path, {file.bytes.begin(), file.bytes.end()}, map);
}

Program Program::parse(const std::string& path, const std::vector<std::uint8_t>& image,
                       const MemoryMap& map) {
    CAVERN_CHECK(elf_version(EV_CURRENT) != EV_NONE, "libelf is older than its header");
    std::vector<char> bytes(image.begin(), image.end()); // libelf wants to own them
    const ElfHandle elf(elf_memory(bytes.data(), bytes.size()));
    Program program;
    program.path_ = path;
    program.entry_ =
        static_cast<std::uint32_t>(check_header(path, elf.get(), bytes.size()).e_entry);
    program.segments_ = read_segments(path, elf.get(), image, map);
    if (!map.instruction.contains(program.entry_)) {
        refuse(path,
               fmt::format("starts at 0x{:08x}, outside the instruction memory", program.entry_),
               memories(map));
    }
    program.symbols_ = read_symbols(elf.get());
    if (const DwarfHandle dwarf(dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr)); dwarf) {
        LineReader(program.segments_, program.files_, program.lines_).read(dwarf.get());
    }
    return program;
}

void Program::load_into(MemorySystem& memory) const {
    for (const Segment& segment : segments_) {
        std::uint8_t* to = memory.direct(segment.address, segment.size);
        CAVERN_CHECK(to != nullptr, "the image was checked against another memory map");
        std::copy(segment.bytes.begin(), segment.bytes.end(), to);
        std::fill(to + segment.bytes.size(), to + segment.size, std::uint8_t{0});
    }
    memory.code_changed();
}

const Symbol* Program::symbol_at(std::uint32_t address) const {
    auto after = std::upper_bound(
        symbols_.begin(), symbols_.end(), address,
        [](std::uint32_t value, const Symbol& symbol) { return value < symbol.address; });
    // A function that reaches over the address, or else the label before it.
    const Symbol* label = nullptr;
    while (after != symbols_.begin()) {
        --after;
        const std::uint32_t offset = address - after->address;
        if (offset < after->size || (after->size == 0 && offset == 0)) {
            return &*after;
        }
        if (after->function) {
            break;
        }
        if (after->size == 0 && label == nullptr) {
            label = &*after;
        }
    }
    return label;
}

std::optional<std::uint32_t> Program::address_of(std::string_view symbol) const {
    for (const Symbol& candidate : symbols_) {
        if (candidate.name == symbol) {
            return candidate.address;
        }
    }
    return std::nullopt;
}

std::optional<SourceLine> Program::source_line(std::uint32_t address) const {
    const auto after = std::upper_bound(
        lines_.begin(), lines_.end(), address,
        [](std::uint32_t value, const LineRow& row) { return value < row.address; });
    if (after == lines_.begin() || address >= std::prev(after)->end) {
        return std::nullopt;
    }
    const LineRow& row = *std::prev(after);
    return SourceLine{files_[row.file], row.line};
}

std::string Program::describe(std::uint32_t address) const {
    std::string text = fmt::format("0x{:08x}", address);
    if (const Symbol* symbol = symbol_at(address); symbol != nullptr) {
        text += fmt::format(" in {}", symbol->name);
        if (address != symbol->address) {
            text += fmt::format("+0x{:x}", address - symbol->address);
        }
    }
    if (const auto line = source_line(address)) {
        const std::size_t slash = line->file.rfind('/');
        text += fmt::format(" ({}:{})",
                            slash == std::string::npos ? line->file : line->file.substr(slash + 1),
                            line->line);
    }
    return text;
}

} // namespace cavern::cpu
