#pragma once

#include <cstdint>

#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/recovery/rebuild.h"

namespace cavern {

/// Page-mapped layers: every page stays where its newest version lies. One block of a plane that is
/// not full goes on to be filled, others are closed as they are. A plane that has fewer than `kept`
/// erased blocks is given some: the block with the fewest wanted pages is emptied, into the block
/// that is being filled and erased ones of its plane or, where these do not suffice, of others.
/// Planes that `placement` joins are one.
void rebuild_pages(Rebuild& rebuild, std::uint32_t kept, GcPlacement placement);

/// Of a layer whose map lies in flash. The spare areas of data say all that it does: pages of the
/// map found are not wanted, to be called before anything is rebuilt.
void forget_map(const FtlIf& ftl, SpareScan& scan);
/// Then every page of the map that names a page is written anew, in the plane of what it names, and
/// planes have `kept` erased blocks again.
void write_map(const FtlIf& ftl, Rebuild& rebuild, std::uint32_t kept);

} // namespace cavern
