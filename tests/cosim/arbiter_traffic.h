#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "core/arbiter/channel_arbiter_if.h"
#include "core/base/random.h"
#include "core/base/units.h"
#include "timed/tlm/time.h"

namespace cavern {

struct Grant {
    TimePs time;
    std::uint32_t slot;
};
inline bool operator==(const Grant& a, const Grant& b) {
    return a.time == b.time && a.slot == b.slot;
}
inline void PrintTo(const Grant& grant, std::ostream* out) {
    *out << "slot " << grant.slot << " at " << grant.time << " ps";
}

/// Calls the arbiter when it is told to, and writes down the grants.
class ScriptedBus : public GrantListenerIf {
  public:
    void granted(std::uint32_t slot) override { grants.push_back({now_ps(), slot}); }
    std::vector<Grant> grants;
};

/// Random users of a bus, one engine for each slot, so that two instances behave alike as long as
/// their arbiters do. Calls come at random times, at the instants of clock edges, several at one
/// instant, some a delta cycle late; the bus is held for zero time up to many clocks, and some
/// holders ask again at the instant of their release.
class RandomTraffic final : public sc_core::sc_module, public GrantListenerIf {
  public:
    RandomTraffic(const sc_core::sc_module_name& name, std::uint32_t slots, TimePs period,
                  std::uint64_t seed)
        : sc_module(name), period_(period) {
        for (std::uint32_t slot = 0; slot < slots; ++slot) {
            users_.push_back(std::make_unique<User>(("user_" + std::to_string(slot)).c_str(), *this,
                                                    slot, seed * 1000 + slot));
        }
    }

    void connect(ChannelArbiterIf& arbiter) { arbiter_ = &arbiter; }
    void granted(std::uint32_t slot) override {
        for (const std::unique_ptr<User>& user : users_) {
            EXPECT_FALSE(user->holding) << "two slots hold the bus at " << now_ps() << " ps";
        }
        grants_.push_back({now_ps(), slot});
        users_[slot]->hold();
    }
    [[nodiscard]] const std::vector<Grant>& grants() const { return grants_; }

  private:
    struct User final : sc_core::sc_module {
        User(const sc_core::sc_module_name& name, RandomTraffic& traffic, std::uint32_t index,
             std::uint64_t seed)
            : sc_module(name), owner(traffic), slot(index), random(seed) {
            SC_HAS_PROCESS(User);
            SC_METHOD(act);
            sensitive << event;
        }
        void hold() {
            holding = true;
            sleep(8);
        }
        void act() {
            if (!started) { // the kernel's first call, at time 0
                started = true;
                sleep(60);
            } else if (!deferred && random.below(4) == 0) {
                deferred = true;
                event.notify(sc_core::SC_ZERO_TIME);
            } else {
                deferred = false;
                use_bus();
            }
        }
        void use_bus() {
            if (!holding) {
                ask();
                return;
            }
            holding = false;
            owner.arbiter_->release(slot);
            if (random.below(3) == 0) {
                ask();
            } else {
                sleep(60);
            }
        }
        void ask() { owner.arbiter_->request(slot, static_cast<BusClass>(random.below(3))); }
        /// Up to `clocks` cycles: any time, an instant of an edge, or now.
        void sleep(std::uint64_t clocks) {
            TimePs time = random.below(clocks * owner.period_);
            const std::uint64_t kind = random.below(4);
            if (kind == 0) {
                time = (time / owner.period_ + 1) * owner.period_ - now_ps() % owner.period_;
            } else if (kind == 1 && random.below(4) == 0) {
                time = 0;
            }
            event.notify(to_sc_time(time));
        }

        RandomTraffic& owner;
        std::uint32_t slot;
        Random random;
        bool started = false;
        bool deferred = false;
        bool holding = false;
        sc_core::sc_event event{"event"};
    };

    TimePs period_;
    ChannelArbiterIf* arbiter_ = nullptr;
    std::vector<std::unique_ptr<User>> users_;
    std::vector<Grant> grants_;
};

/// Position of the first grant that differs, -1 when all are the same.
inline std::ptrdiff_t first_difference(const std::vector<Grant>& a, const std::vector<Grant>& b) {
    const std::size_t common = std::min(a.size(), b.size());
    for (std::size_t n = 0; n < common; ++n) {
        if (!(a[n] == b[n])) {
            return static_cast<std::ptrdiff_t>(n);
        }
    }
    return a.size() == b.size() ? -1 : static_cast<std::ptrdiff_t>(common);
}

/// Runs functions at given times from one process; functions of one instant in the order given.
class Script final : public sc_core::sc_module {
  public:
    explicit Script(const sc_core::sc_module_name& name) : sc_module(name) {
        SC_HAS_PROCESS(Script);
        SC_METHOD(act);
        sensitive << event_;
    }
    void at(TimePs time, std::function<void()> action) {
        lines_.push_back({time, std::move(action)});
    }

  private:
    struct Line {
        TimePs time;
        std::function<void()> action;
    };
    void act() {
        while (next_ < lines_.size() && lines_[next_].time <= now_ps()) {
            lines_[next_++].action();
        }
        if (next_ < lines_.size()) {
            event_.notify(to_sc_time(lines_[next_].time - now_ps()));
        }
    }
    std::vector<Line> lines_;
    std::size_t next_ = 0;
    sc_core::sc_event event_{"event"};
};

} // namespace cavern
