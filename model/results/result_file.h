#pragma once

#include <string>

#include "core/base/output_file.h"
#include "core/base/units.h"

namespace cavern {

class Ssd;

/// A file that shows a run. It appears whole or not at all (OutputFile).
class ResultFile {
  public:
    explicit ResultFile(const std::string& path) : file_(path) {}
    ResultFile(const ResultFile&) = delete;
    ResultFile& operator=(const ResultFile&) = delete;
    virtual ~ResultFile() = default;

    /// The drive of a run with time is built; it outlives end_run().
    virtual void watch(const Ssd& /*ssd*/) {}
    /// The drive is preconditioned.
    virtual void begin_run() {}
    virtual void end_run(TimePs /*end*/) {}
    /// Everything is in the file; nothing can go wrong afterwards but the renaming.
    virtual void finish() { file_.finish(); }
    void commit() { file_.commit(); }
    /// Where the data is until commit(), for a writer that opens its file by name.
    [[nodiscard]] const std::string& place() const { return file_.place(); }

  protected:
    OutputFile file_;
};

} // namespace cavern
