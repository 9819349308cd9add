#pragma once

#include <systemc>
#include <tlm>

#include "core/base/units.h"

namespace cavern {

/// The calls of b_transport that a target has not answered yet. Each waits in
/// the thread that makes it, and lives on the stack of that thread.
class BlockingCalls {
  public:
    class Call {
      public:
        Call(BlockingCalls& calls, const tlm::tlm_generic_payload& payload);
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        ~Call();
        /// Waits until the call is answered; returns how long after the present its
        /// transaction ends.
        TimePs await();

      private:
        friend class BlockingCalls;
        BlockingCalls& calls_;
        const tlm::tlm_generic_payload& payload_;
        Call* next_;
        bool answered_ = false;
        TimePs ahead_ = 0;
        sc_core::sc_event event_;
    };

    /// If the payload is that of such a call: its transaction ends `ahead` from
    /// now.
    bool answer(const tlm::tlm_generic_payload& payload, TimePs ahead = 0) {
        return first_ != nullptr && answer_one(payload, ahead);
    }

  private:
    bool answer_one(const tlm::tlm_generic_payload& payload, TimePs ahead);
    Call* first_ = nullptr;
};

/// Brings the thread of a b_transport call to the local time at which its
/// transaction begins.
void catch_up(sc_core::sc_time& delay);

} // namespace cavern
