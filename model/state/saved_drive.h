#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/resolved_config.h"
#include "core/drive/drive_core.h"
#include "core/drive/precondition.h"
#include "core/nand/nand_array.h"
#include "drive/drive_beginning.h"
#include "drive/run_observer.h"
#include "state/state_file.h"

namespace cavern {

/// What of a drive its saved state holds.
enum class StateKind : std::uint8_t {
    kPreconditioned, ///< its flash and its map, before the first request: any write buffer fits
    kPlayed          ///< the write buffer as well
};

/// Keys and values.
using StateKeys = std::vector<std::pair<std::string, std::string>>;

/// The keys of a drive that its state follows: those of host, channels, SDRAM, processor and times
/// of the NAND are not among them.
[[nodiscard]] StateKeys state_keys(const ResolvedConfig& resolved, StateKind kind);

/// Throws UserError, with the place of the key, where a drive has what is not saved.
void require_savable(const ResolvedConfig& resolved, StateKind kind);

[[nodiscard]] bool is_savable(const ResolvedConfig& resolved, StateKind kind);

/// The state of a drive as a file that is on its way.
class DriveSaver {
  public:
    /// Opens the file: who cannot write it hears so before the run.
    DriveSaver(const std::string& path, const ResolvedConfig& resolved);
    /// Nothing of the drive is under way. `data`, which may be null, are those of a drive that is
    /// preconditioned. Throws UserError where a part does not say how it is saved.
    void save(const DriveCore& core, const NandArray& array, const DriveData* data,
              const PreconditionResult& shown, StateKind kind);
    void commit() { writer_.commit(); }

  private:
    std::string path_;
    const ResolvedConfig& resolved_;
    StateWriter writer_;
};

/// A drive that begins as it was saved.
class SavedDrive final : public DriveBeginningIf {
  public:
    SavedDrive(std::string path, const ResolvedConfig& resolved)
        : path_(std::move(path)), resolved_(resolved) {}
    /// Throws UserError where the file is none, is not whole, or is of another drive.
    PreconditionResult begin(DriveCore& core, NandArray& array, UntimedData* data) override;

  private:
    std::string path_;
    const ResolvedConfig& resolved_;
};

/// A drive that is preconditioned once for all runs that begin so: the state is kept in a folder,
/// under a name made of what it follows. Runs that need it at the same time wait for the first.
class CachedDrive final : public DriveBeginningIf {
  public:
    /// `program`: of which version and commit this is. The oldest files go where the folder would
    /// hold more than `most_bytes`. `observer` may be null. What takes fewer than `least_writes`
    /// pages is not kept: it is soon written again.
    CachedDrive(std::string folder, std::uint64_t most_bytes, const ResolvedConfig& resolved,
                std::string program, RunObserverIf* observer,
                std::uint64_t least_writes = 4'000'000);
    PreconditionResult begin(DriveCore& core, NandArray& array, UntimedData* data) override;
    /// The file that this drive's state is, or would be, kept in.
    [[nodiscard]] std::string path() const;

  private:
    std::string folder_;
    std::uint64_t most_bytes_;
    const ResolvedConfig& resolved_;
    std::string program_;
    RunObserverIf* observer_;
    std::uint64_t least_writes_;
};

} // namespace cavern
