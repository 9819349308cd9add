#include "firmware/command/firmware_files.h"

#include "core/base/error.h"
#include "cpu/instruction_trace.h"

namespace cavern {

void check_firmware_options(const FirmwareOptions& options, const cpu::Program& program) {
    if (!options.coverage.empty() && program.lines().empty()) {
        throw UserError(program.path(), "has no lines of its source", "compile it with -g");
    }
}

FirmwareFiles::FirmwareFiles(const FirmwareOptions& options) {
    const auto open = [](const std::string& path) {
        return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
    };
    trace_ = open(options.trace);
    folded_ = open(options.profile);
    lcov_ = open(options.coverage);
    log_ = open(options.log);
}

void FirmwareFiles::begin(const cpu::Program& program, const cpu::MemoryMap& map) {
    program_ = &program;
    if (folded_) {
        profile_ = std::make_unique<cpu::CallProfile>(program);
    }
    if (lcov_) {
        coverage_ = std::make_unique<cpu::LineCoverage>(program, map);
    }
}

void FirmwareFiles::add(const cpu::Retired& retired) {
    if (trace_ && tracing_) {
        trace_->print("{}\n", cpu::trace_line(retired, program_));
    }
    if (profile_) {
        profile_->add(retired);
    }
    if (coverage_) {
        coverage_->add(retired);
    }
}

void FirmwareFiles::print(char byte, const std::function<std::string()>& stamp) {
    if (!log_) {
        return;
    }
    if (line_.empty()) {
        line_ = stamp() + ' ';
    }
    line_ += byte;
    if (byte == '\n') {
        end_line();
    }
}

void FirmwareFiles::end_line() {
    log_->print("{}", line_);
    line_.clear();
}

void FirmwareFiles::finish() {
    if (finished_) {
        return;
    }
    finished_ = true;
    if (!line_.empty()) {
        line_ += '\n';
        end_line();
    }
    if (profile_) {
        folded_->print("{}", profile_->folded());
    }
    if (coverage_) {
        lcov_->print("{}", coverage_->lcov());
    }
    for (OutputFile* file : {trace_.get(), folded_.get(), lcov_.get(), log_.get()}) {
        if (file != nullptr) {
            file->finish();
        }
    }
}

void FirmwareFiles::commit() {
    finish();
    for (OutputFile* file : {trace_.get(), folded_.get(), lcov_.get(), log_.get()}) {
        if (file != nullptr) {
            file->commit();
        }
    }
}

} // namespace cavern
