#pragma once

#include <cstdint>
#include <string>

#include "drive/live_drive.h"
#include "serve/drive_export.h"

namespace cavern {

/// The contents of a drive in a file from one start to the next: a raw disk image, with holes where
/// the drive has no pages. Where in the flash the pages lay is not kept: they are written anew.
class DriveImage {
  public:
    /// An image that is not there is an empty drive. Throws UserError where `path` is none that
    /// fits a drive of `capacity` bytes.
    DriveImage(std::string path, std::uint64_t capacity);

    /// Writes what the image holds to the drive, over its link, and flushes it; the statistics
    /// begin after that. Before the first client.
    void load(LiveDrive& drive, DriveExport& exported) const;
    /// Puts what the drive holds into the file, whole or not at all. Nothing is outstanding. Throws
    /// UserError where it cannot be written.
    void save(LiveDrive& drive, DriveExport& exported) const;

  private:
    std::string path_;
};

} // namespace cavern
