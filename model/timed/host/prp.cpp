#include "timed/host/prp.h"

namespace cavern {

PrpShape prp_shape(std::uint64_t offset, std::uint64_t bytes, std::uint32_t page_bytes) {
    PrpShape shape;
    if (bytes == 0) {
        return shape;
    }
    shape.pages = (offset % page_bytes + bytes + page_bytes - 1) / page_bytes;
    if (shape.pages <= 2) {
        return shape;
    }
    // All pages but the first are in the list. Each list page but the last gives an entry to its
    // link.
    const std::uint64_t wanted = shape.pages - 1;
    const std::uint64_t held = page_bytes / kPrpEntryBytes;
    shape.list_pages = wanted <= held ? 1 : 1 + (wanted - held + held - 2) / (held - 1);
    shape.list_entries = wanted + shape.list_pages - 1;
    return shape;
}

} // namespace cavern
