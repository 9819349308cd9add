#include "cpu/line_coverage.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace cavern::cpu {

namespace {

struct Function {
    std::uint32_t line = 0;
    std::string name;
    std::uint64_t calls = 0;
};

struct File {
    std::vector<Function> functions;
    std::map<std::uint32_t, std::uint64_t> lines; ///< count by number
};

template <typename Range, typename Executed>
std::ptrdiff_t hits(const Range& range, const Executed& executed) {
    return std::count_if(range.begin(), range.end(), executed);
}

std::string record_of(const std::string& name, const File& file) {
    std::string text = fmt::format("TN:\nSF:{}\n", name);
    for (const Function& function : file.functions) {
        text += fmt::format("FN:{},{}\n", function.line, function.name);
    }
    for (const Function& function : file.functions) {
        text += fmt::format("FNDA:{},{}\n", function.calls, function.name);
    }
    text += fmt::format("FNF:{}\nFNH:{}\n", file.functions.size(),
                        hits(file.functions, [](const Function& f) { return f.calls != 0; }));
    for (const auto& [line, count] : file.lines) {
        text += fmt::format("DA:{},{}\n", line, count);
    }
    text += fmt::format("LF:{}\nLH:{}\nend_of_record\n", file.lines.size(),
                        hits(file.lines, [](const auto& line) { return line.second != 0; }));
    return text;
}

} // namespace

LineCoverage::LineCoverage(const Program& program, const MemoryMap& map)
    : program_(program), code_(map.instruction), counts_(map.instruction.size / 2) {}

std::uint64_t LineCoverage::most_in(std::uint32_t address, std::uint32_t end) const {
    std::uint64_t most = 0;
    for (std::uint32_t pc = address; pc < end && code_.contains(pc); pc += 2) {
        most = std::max(most, counts_[(pc - code_.base) / 2]);
    }
    return most;
}

std::string LineCoverage::lcov() const {
    std::map<std::string, File> files;
    for (const LineRow& row : program_.lines()) {
        std::uint64_t& count = files[program_.files()[row.file]].lines[row.line];
        count = std::max(count, most_in(row.address, row.end));
    }
    for (const Symbol& symbol : program_.symbols()) {
        const auto line = program_.source_line(symbol.address);
        if (symbol.function && line) {
            files[line->file].functions.push_back(
                {line->line, symbol.name, most_in(symbol.address, symbol.address + 2)});
        }
    }
    std::string text;
    for (auto& [name, file] : files) {
        std::sort(file.functions.begin(), file.functions.end(),
                  [](const Function& a, const Function& b) {
                      return std::tie(a.line, a.name) < std::tie(b.line, b.name);
                  });
        text += record_of(name, file);
    }
    return text;
}

} // namespace cavern::cpu
