#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/firmware_options.h"
#include "core/base/output_file.h"
#include "cpu/call_profile.h"
#include "cpu/line_coverage.h"
#include "cpu/memory_map.h"
#include "cpu/program.h"
#include "cpu/retired.h"

namespace cavern {

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
