#include "core/partition/ghost_buffer.h"

#include <algorithm>

namespace cavern {

GhostBuffer::GhostBuffer(std::uint32_t most, std::uint32_t capacity)
    : capacity_(std::min(capacity, most)), index_(most) {
    nodes_.resize(most);
    clear();
}

void GhostBuffer::clear() {
    while (oldest_ != kNone) {
        remove(oldest_);
    }
    unused_ = kNone;
    for (std::uint32_t i = static_cast<std::uint32_t>(nodes_.size()); i > 0; --i) {
        nodes_[i - 1] = {kNoLpn, kNone, unused_};
        unused_ = i - 1;
    }
}

void GhostBuffer::insert(Lpn lpn) {
    erase(lpn);
    if (capacity_ == 0) {
        return;
    }
    if (size() == capacity_) {
        remove(oldest_);
    }
    const std::uint32_t node = unused_;
    unused_ = nodes_[node].newer;
    nodes_[node] = {lpn, newest_, kNone};
    (newest_ == kNone ? oldest_ : nodes_[newest_].newer) = node;
    newest_ = node;
    index_.set(raw(lpn), node);
}

void GhostBuffer::erase(Lpn lpn) {
    const std::uint32_t node = index_.find(raw(lpn));
    if (node != kNone) {
        remove(node);
    }
}

void GhostBuffer::remove(std::uint32_t node) {
    const Node& n = nodes_[node];
    (n.older == kNone ? oldest_ : nodes_[n.older].newer) = n.newer;
    (n.newer == kNone ? newest_ : nodes_[n.newer].older) = n.older;
    index_.erase(raw(n.lpn));
    nodes_[node].newer = unused_;
    unused_ = node;
}

void GhostBuffer::set_capacity(std::uint32_t capacity) {
    capacity_ = std::min(capacity, static_cast<std::uint32_t>(nodes_.size()));
    while (size() > capacity_) {
        remove(oldest_);
    }
}

std::vector<Lpn> GhostBuffer::pages() const {
    std::vector<Lpn> all;
    for (std::uint32_t node = oldest_; node != kNone; node = nodes_[node].newer) {
        all.push_back(nodes_[node].lpn);
    }
    return all;
}

} // namespace cavern
