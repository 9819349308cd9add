#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "core/arbiter/arbiter_rules.h"
#include "core/arbiter/clocked_arbiter_if.h"

namespace cavern {

/// The parameters of an arbiter, with which a replay has to build it.
struct StreamShape {
    std::uint32_t ways = 0;
    ArbiterPolicy policy = ArbiterPolicy::kRoundRobin;
    std::uint32_t age_limit = 0;
};

/// One edge of a recording: the inputs, and the outputs it had.
struct RecordedEdge {
    ArbiterInputs inputs;
    ArbiterOutputs outputs;
};

/// Writes what goes in and out of one arbiter, three to six bytes an edge. The file is a line of
/// text with the shape, then for each edge a byte of flags and what has changed as base-128
/// numbers.
class StreamRecorder {
  public:
    /// Throws UserError when the file cannot be written.
    StreamRecorder(const std::string& path, const StreamShape& shape);
    void write(const RecordedEdge& edge);

  private:
    void put(std::uint32_t value);

    std::ofstream file_;
    ArbiterInputs last_;
};

/// Reads such a file. Throws UserError when it is not one, or ends in the middle of an edge.
class StreamReader {
  public:
    explicit StreamReader(const std::string& path);
    [[nodiscard]] const StreamShape& shape() const { return shape_; }
    /// False at the end.
    bool next(RecordedEdge& edge);

  private:
    std::uint32_t get();
    [[noreturn]] void fail(const std::string& what) const;

    std::string path_;
    std::ifstream file_;
    StreamShape shape_;
    ArbiterInputs last_;
};

} // namespace cavern
