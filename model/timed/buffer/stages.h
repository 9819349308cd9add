#pragma once

#include <cstdint>

namespace cavern {

// What a transfer in motion is for (TransferExtension::stage). Numbers of the two differ, for those
// that look at transfers.

/// A page on its way between host, frame and die (PageFlow); the index is a TaskId.
enum class PageStage : std::uint32_t {
    kLinkFetch,   ///< host data over the link
    kFillFrame,   ///< host data into its frame
    kServeFrame,  ///< frame read for the host
    kKeepPage,    ///< page read from the die, or another frame, into its frame
    kCopyFrame,   ///< page being programmed, read for the frame it returns to
    kStageRead,   ///< page from the die into staging
    kServeStaged, ///< staging read for the host
    kLinkDeliver, ///< data to the host
};

/// A page on its way to a die, or between two (Programs); the index is an OpId.
enum class ProgramStage : std::uint32_t {
    kProgramFrame = 16, ///< frame read for a program
    kProgramCopy,       ///< staging read for the program of a copy
    kStageCopy,         ///< page to be copied into staging
};

} // namespace cavern
