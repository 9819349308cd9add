#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/output_file.h"
#include "cpu/call_profile.h"
#include "cpu/line_coverage.h"
#include "cpu/memory_map.h"
#include "cpu/program.h"
#include "cpu/retired.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace cavern {

/// What may be asked for of firmware that is executed, alone or in a drive. Empty: not asked for.
struct FirmwareOptions {
    std::string trace;
    std::string profile;
    std::string coverage;
    std::string log;
    std::optional<std::uint16_t> gdb; ///< port, 0 for any
};

struct FirmwareFileRow {
    const char* name; ///< of the option, behind its prefix
    std::string FirmwareOptions::*path;
    bool of_instructions; ///< is made of each, which a debugger has to itself
    const char* help;
};
inline constexpr FirmwareFileRow kFirmwareFiles[] = {
    {"trace", &FirmwareOptions::trace, true, "writes every instruction with its effects"},
    {"profile", &FirmwareOptions::profile, true,
     "writes the cycles of each function and call stack, as folded stacks"},
    {"coverage", &FirmwareOptions::coverage, true,
     "writes how often each line of the source was executed, for lcov"},
    {"log", &FirmwareOptions::log, false,
     "writes what the firmware prints, with the cycle of each line"}};

/// The options "--PREFIXtrace" and so on, and --gdb. Returns that of the trace.
CLI::Option* add_firmware_options(CLI::App& command, const std::string& prefix,
                                  FirmwareOptions& options);
/// Throws UserError where a debugger and a file exclude each other.
void check_firmware_options(const FirmwareOptions& options, const std::string& prefix);
/// Throws UserError where the image does not say what a file needs.
void check_firmware_options(const FirmwareOptions& options, const cpu::Program& program);

/// The files about firmware that were asked for. None of them appears before commit().
class FirmwareFiles {
  public:
    explicit FirmwareFiles(const FirmwareOptions& options);

    /// Before the first instruction. The program must outlive the files.
    void begin(const cpu::Program& program, const cpu::MemoryMap& map);
    /// Whether every instruction counts for something, in the trace or not.
    [[nodiscard]] bool counts() const { return profile_ || coverage_; }
    /// In order, every instruction since reset unless only the trace is written.
    void add(const cpu::Retired& retired);
    /// A byte of the log; `stamp` is asked for at the beginning of a line.
    void print(char byte, const std::function<std::string()>& stamp);

    [[nodiscard]] cpu::CallProfile* profile() { return profile_.get(); }
    /// Null: no trace is written.
    [[nodiscard]] OutputFile* trace() { return trace_.get(); }
    /// Whether instructions go into the trace.
    void trace_on(bool on) { tracing_ = on; }

    /// Everything is in the files; nothing can go wrong afterwards but the renaming.
    void finish();
    void commit();

  private:
    void end_line();

    const cpu::Program* program_ = nullptr;
    std::unique_ptr<OutputFile> trace_;
    std::unique_ptr<OutputFile> folded_;
    std::unique_ptr<OutputFile> lcov_;
    std::unique_ptr<OutputFile> log_;
    std::unique_ptr<cpu::CallProfile> profile_;
    std::unique_ptr<cpu::LineCoverage> coverage_;
    std::string line_; ///< of the log, with its stamp
    bool tracing_ = true;
    bool finished_ = false;
};

} // namespace cavern
