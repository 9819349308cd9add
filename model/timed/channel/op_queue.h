#pragma once

#include "timed/channel/op_graph.h"

namespace cavern {

/// Operations that wait for their die, linked through Op::next.
class OpQueue {
  public:
    explicit OpQueue(OpGraph& graph) : graph_(&graph) {}

    [[nodiscard]] bool empty() const { return head_ == kNoOp; }
    [[nodiscard]] OpId head() const { return head_; }

    void append(OpId id) {
        (*graph_)[id].next = kNoOp;
        (head_ == kNoOp ? head_ : (*graph_)[tail_].next) = id;
        tail_ = id;
    }
    OpId pop() {
        const OpId id = head_;
        head_ = (*graph_)[id].next;
        return id;
    }
    /// An operation of the queue, and the one before it, or kNoOp.
    struct Place {
        OpId id = kNoOp;
        OpId before = kNoOp;
    };
    void remove(Place place) {
        const OpId next = (*graph_)[place.id].next;
        (place.before == kNoOp ? head_ : (*graph_)[place.before].next) = next;
        if (tail_ == place.id) {
            tail_ = place.before;
        }
    }

  private:
    OpGraph* graph_;
    OpId head_ = kNoOp;
    OpId tail_ = kNoOp;
};

} // namespace cavern
