#pragma once

#include "core/ftl/mounted_drive.h"
#include "core/recovery/rebuild.h"

namespace cavern {

/// Layers that map logical blocks, whatever their logs: when the drive is mounted every logical
/// block lies in one block, each page in its place, and no log is in use. A block that holds the
/// newest version of all pages of its logical block in their places stays; this may be a log or
/// what a merge was about to make. The others are merged, those first that give back blocks: the
/// newest versions are copied to an erased block, and what they came from is erased. Logical blocks
/// of a superblock, whose logs they share, are merged one after the other.
///
/// `needs` says how many logical blocks a superblock and a plane have. With `strict_order` holes
/// are filled.
void rebuild_blocks(Rebuild& rebuild, const MountNeeds& needs, bool strict_order);

} // namespace cavern
