#include "timed/tlm/extensions.h"

#include "core/base/check.h"

namespace cavern {

tlm::tlm_extension_base* HostCommandExtension::clone() const {
    auto* copy = new HostCommandExtension;
    copy->copy_from(*this);
    return copy;
}

void HostCommandExtension::copy_from(const tlm::tlm_extension_base& other) {
    const auto& from = static_cast<const HostCommandExtension&>(other);
    id = from.id;
    tag = from.tag;
    queue = from.queue;
    op = from.op;
    fua = from.fua;
    job = from.job;
    stream = from.stream;
    zone = from.zone;
    refused = from.refused;
    bytes = from.bytes;
    arrival = from.arrival;
    dispatch = from.dispatch;
    pages = from.pages;
    hits = from.hits;
    failed = from.failed;
    processor = from.processor;
    frame_wait = from.frame_wait;
    flash = from.flash;
}

HostCommandExtension* HostCommandExtension::find(const tlm::tlm_generic_payload& payload) {
    return payload.get_extension<HostCommandExtension>();
}

tlm::tlm_extension_base* TransferExtension::clone() const {
    auto* copy = new TransferExtension;
    copy->copy_from(*this);
    return copy;
}

void TransferExtension::copy_from(const tlm::tlm_extension_base& other) {
    const auto& from = static_cast<const TransferExtension&>(other);
    ticket = from.ticket;
    owner = from.owner;
    moved_before = from.moved_before;
}

TransferExtension* TransferExtension::find(const tlm::tlm_generic_payload& payload) {
    return payload.get_extension<TransferExtension>();
}

TransferExtension& TransferExtension::get(const tlm::tlm_generic_payload& payload) {
    TransferExtension* extension = find(payload);
    CAVERN_CHECK(extension != nullptr, "a transfer carries a TransferExtension");
    return *extension;
}

} // namespace cavern
