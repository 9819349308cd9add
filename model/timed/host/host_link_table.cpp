#include "timed/host/host_link_table.h"

#include "timed/host/direct_host.h"
#include "timed/host/host_transport.h"
#include "timed/host/nvme_host.h"
#include "timed/host/sata_host.h"

namespace cavern {

namespace {

template <typename Link>
HostLinkRow link_row(std::string_view name, std::string_view description,
                     decltype(HostLinkRow::queue_priority) queue_priority = nullptr) {
    return {name,
            description,
            knobs_of_scheme<Link>(),
            Link::problem,
            Link::make_transport,
            Link::runs_alone,
            Link::most_outstanding,
            queue_priority};
}

} // namespace

const std::vector<HostLinkRow>& host_link_table() {
    static const std::vector<HostLinkRow> rows{
        link_row<SataHost>("sata", "Serial ATA with native command queuing, frame by frame."),
        link_row<DirectHost>("direct", "A link of a given bandwidth without protocol."),
        link_row<NvmeHost>("nvme", "NVM Express over PCIe, with submission queues in host memory.",
                           NvmeHost::queue_priority),
    };
    return rows;
}

const HostLinkRow* find_host_link(std::string_view name) {
    return find_row(host_link_table(), name);
}

} // namespace cavern
