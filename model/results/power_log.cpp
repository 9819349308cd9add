#include "results/power_log.h"

#include <algorithm>
#include <optional>

#include "core/base/check.h"

namespace cavern {

void PowerLog::watch(const Ssd& ssd) {
    ssd_ = &ssd;
    periods_.reserve(kMost);
}

PowerLog::Period& PowerLog::period_at(std::size_t index) {
    if (index >= periods_.size()) {
        periods_.resize(index + 1);
    }
    return periods_[index];
}

/// Adds an amount evenly between two times.
void PowerLog::spread(TimePs from, TimePs to, double amount, double Period::*part) {
    from = std::max(from, origin_);
    if (to <= from) {
        return;
    }
    while ((to - origin_ - 1) / period_ >= kMost) {
        for (std::size_t i = 0; i < periods_.size(); ++i) {
            Period& half = periods_[i];
            if (i % 2 == 0) {
                periods_[i / 2] = half;
                continue;
            }
            Period& whole = periods_[i / 2];
            whole.nand += half.nand;
            whole.busy += half.busy;
            whole.bus += half.bus;
            whole.dram += half.dram;
            whole.link += half.link;
        }
        periods_.resize((periods_.size() + 1) / 2);
        period_ *= 2;
    }
    const double of_time = amount / static_cast<double>(to - from);
    for (TimePs at = from; at < to;) {
        const std::size_t index = (at - origin_) / period_;
        const TimePs end = std::min(to, origin_ + (index + 1) * period_);
        period_at(index).*part += of_time * static_cast<double>(end - at);
        at = end;
    }
}

/// At the end of the warm-up all counts begin anew.
void PowerLog::follow_warmup() {
    if (ssd_->statistics_since() != origin_) {
        origin_ = sampled_at_ = ssd_->statistics_since();
        period_ = kFirstPeriod;
        last_ = {};
        periods_.clear();
    }
}

void PowerLog::look(TimePs at) {
    follow_warmup();
    if (at >= sampled_at_ + period_) {
        sample(at);
    }
}

void PowerLog::sample(TimePs at) {
    const DriveEnergy now = energy_of(*ssd_, at - origin_);
    const auto follow = [&](double value, double Period::*part) {
        spread(sampled_at_, at, value - last_.*part, part);
        last_.*part = value;
    };
    follow(now.bus.value_or(0.0), &Period::bus);
    follow(now.dram ? now.dram->total() : 0.0, &Period::dram);
    follow(now.link.value_or(0.0), &Period::link);
    sampled_at_ = at;
}

void PowerLog::bus(ChannelId, std::uint32_t, const char*, TimePs start, TimePs,
                   const NandExtension&) {
    look(start);
}

void PowerLog::grant(ChannelId, std::uint32_t, TimePs, TimePs) {}

void PowerLog::array(DieId, TimePs start, TimePs duration, const NandExtension& command) {
    follow_warmup();
    if (begins_run(command.what)) {
        return; // as while it waits
    }
    const NandCurrents& part = ssd_->config().nand.currents;
    const std::uint64_t current = command.kind == FlashOpKind::kRead      ? part.icc_read_na
                                  : command.kind == FlashOpKind::kProgram ? part.icc_program_na
                                                                          : part.icc_erase_na;
    const auto time = static_cast<double>(duration);
    spread(start, start + duration, supply_energy(part.vcc_mv, static_cast<double>(current), time),
           &Period::nand);
    spread(start, start + duration, time, &Period::busy);
}

void PowerLog::host_queue(TimePs at, std::uint32_t) {
    look(at);
}

void PowerLog::buffer_pages(TimePs, std::uint32_t) {}

void PowerLog::end_run(TimePs end) {
    follow_warmup();
    if (end > sampled_at_) {
        sample(end);
    }
    const DrivePlan& config = ssd_->config();
    const DriveEnergy known = energy_of(*ssd_, end - origin_);
    const std::uint32_t dies = config.nand.geometry.dies();
    file_.print("time_ns,period_ns,nand_w,bus_w,dram_w,link_w,controller_w\n");
    const auto field = [](std::optional<double> watts) {
        return watts ? fmt::format("{:.6g}", *watts) : std::string();
    };
    for (std::size_t i = 0; i < periods_.size(); ++i) {
        const Period& period = periods_[i];
        const TimePs begin = origin_ + i * period_;
        const TimePs length = std::min(period_, end > begin ? end - begin : 0);
        if (length == 0) {
            break;
        }
        const double seconds = static_cast<double>(length) * 1e-12;
        const auto power = [&](bool is_known, double joules) {
            return is_known ? std::optional(joules / seconds) : std::nullopt;
        };
        const double idle =
            std::max(static_cast<double>(dies) * static_cast<double>(length) - period.busy, 0.0);
        const double standby =
            supply_energy(config.nand.currents.vcc_mv,
                          static_cast<double>(config.nand.currents.icc_standby_na), idle);
        file_.print("{},{},{},{},{},{},{}\n", to_ns(begin), to_ns(length),
                    field(power(known.nand.has_value(), period.nand + standby)),
                    field(power(known.bus.has_value(), period.bus)),
                    field(power(known.dram.has_value(), period.dram)),
                    field(power(known.link.has_value(), period.link)),
                    field(power(known.controller.has_value(),
                                static_cast<double>(config.controller.power_uw) * 1e-6 * seconds)));
    }
}

} // namespace cavern
