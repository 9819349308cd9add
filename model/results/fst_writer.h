#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/units.h"

namespace cavern {

/// A waveform file in GTKWave's FST format, time in picoseconds. First all scopes and signals, then
/// changes with times that never fall. Written by the library that Verilator writes its own with.
class FstWriter {
  public:
    using Signal = std::uint32_t;

    /// Throws UserError when the file cannot be written.
    explicit FstWriter(const std::string& path);
    FstWriter(const FstWriter&) = delete;
    FstWriter& operator=(const FstWriter&) = delete;
    ~FstWriter();

    void open_scope(const std::string& name);
    void close_scope();
    /// `width` 1..32 bits.
    Signal wire(const std::string& name, std::uint32_t width = 1);
    Signal text(const std::string& name);

    void at(TimePs time);
    void set(Signal signal, std::uint32_t width, std::uint32_t value);
    /// Every bit to 'x' (not known) or 'z' (not driven).
    void fill(Signal signal, std::uint32_t width, char state);
    void set_text(Signal signal, const std::string& value);

  private:
    friend class FstImport;
    void* context_;
};

/// Throws UserError, which calls the file `name`, unless it is whole: the library that writes it
/// does not notice a full disk.
void check_fst(const std::string& path, const std::string& name);

/// Takes over what another FST file shows: its signals in a scope of their own, then its changes.
class FstImport {
  public:
    /// Declares the signals. Throws UserError when `path` is no FST file.
    FstImport(FstWriter& writer, const std::string& path, const std::string& scope);
    FstImport(const FstImport&) = delete;
    FstImport& operator=(const FstImport&) = delete;
    ~FstImport();

    /// Writes the changes within `window`; those before it as one state at its begin. `before` is
    /// called whenever time is about to move on to its argument, which it sets with
    /// FstWriter::at().
    void copy(TimeWindow window, const std::function<void(TimePs)>& before);

  private:
    struct State;
    FstWriter& writer_;
    State* state_;
};

} // namespace cavern
