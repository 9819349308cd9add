#pragma once

#include "core/ftl/mounted_drive.h"
#include "core/recovery/rebuild.h"

namespace cavern {

/// Layers in whose superblocks a page may lie anywhere: every page stays where its newest version
/// lies. A superblock that has more blocks than it may is given fewer: the one with the fewest
/// wanted pages is emptied, into the block that is being filled and erased ones. One block of a
/// superblock that is not full goes on to be filled, others are closed as they are.
///
/// The drive has an erased block at least. Each block that is emptied gives back as many as its
/// pages take.
void rebuild_superblocks(Rebuild& rebuild, const MountNeeds& needs);

} // namespace cavern
