#pragma once

#include <functional>
#include <map>
#include <systemc>

#include "timed/tlm/time.h"

namespace cavern::testing {

/// Does things at given times from one process; those of one instant in the order given. More may
/// be added while the simulation runs.
class Script final : public sc_core::sc_module {
  public:
    explicit Script(const sc_core::sc_module_name& name) : sc_module(name) {
        SC_HAS_PROCESS(Script);
        SC_METHOD(act);
        sensitive << event_;
    }

    void at(TimePs time, std::function<void()> action) {
        lines_.emplace(time, std::move(action));
        if (sc_core::sc_is_running()) {
            event_.notify(to_sc_time(lines_.begin()->first - now_ps()));
        }
    }
    void after(TimePs delay, std::function<void()> action) {
        at(now_ps() + delay, std::move(action));
    }

  private:
    void act() {
        while (!lines_.empty() && lines_.begin()->first <= now_ps()) {
            const std::function<void()> action = std::move(lines_.begin()->second);
            lines_.erase(lines_.begin());
            action();
        }
        if (!lines_.empty()) {
            event_.notify(to_sc_time(lines_.begin()->first - now_ps()));
        }
    }

    std::multimap<TimePs, std::function<void()>> lines_;
    sc_core::sc_event event_{"event"};
};

} // namespace cavern::testing
