#include "timed/tlm/nand_protocol.h"

#include "core/base/check.h"

namespace cavern {

tlm::tlm_extension_base* NandExtension::clone() const {
    auto* copy = new NandExtension;
    copy->copy_from(*this);
    return copy;
}

void NandExtension::copy_from(const tlm::tlm_extension_base& other) {
    const auto& from = static_cast<const NandExtension&>(other);
    kind = from.kind;
    origin = from.origin;
    what = from.what;
    step = from.step;
    from_cache = from.from_cache;
    source = from.source;
    count = from.count;
    nand_pages = from.nand_pages;
    out = from.out;
    suspended = from.suspended;
    began = from.began;
    ends = from.ends;
    data_bytes = from.data_bytes;
    pages = from.pages;
    lpns = from.lpns;
    origins = from.origins;
    versions = from.versions;
    contents = from.contents;
    requests = from.requests;
}

NandExtension& NandExtension::get(const tlm::tlm_generic_payload& payload) {
    NandExtension* extension = nullptr;
    payload.get_extension(extension);
    CAVERN_CHECK(extension != nullptr, "a NAND payload carries a NandExtension");
    return *extension;
}

} // namespace cavern
