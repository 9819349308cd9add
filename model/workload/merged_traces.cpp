#include "workload/merged_traces.h"

namespace cavern {

bool MergedTraces::next(HostRequest& request) {
    const auto read_ahead = [this](std::size_t flow) {
        TraceReader* reader = flows_[flow].reader.get();
        HostRequest next;
        ahead_[flow].reset();
        if (reader != nullptr && reader->next(next)) {
            next.offset += next.op == RequestOp::kFlush ? 0 : flows_[flow].base;
            next.job = static_cast<std::uint32_t>(flow);
            ahead_[flow] = next;
        }
    };
    if (ahead_.empty()) {
        ahead_.resize(flows_.size());
        for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
            read_ahead(flow);
        }
    }
    std::optional<std::size_t> first;
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
        if (ahead_[flow] && (!first || ahead_[flow]->arrival < ahead_[*first]->arrival)) {
            first = flow;
        }
    }
    if (!first) {
        return false;
    }
    last_ = *first;
    request = *ahead_[last_];
    position_ = flows_[last_].reader->position();
    read_ahead(last_);
    return true;
}

SourcePosition MergedTraces::position() const {
    return position_;
}

} // namespace cavern
