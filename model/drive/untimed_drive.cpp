#include "drive/untimed_drive.h"

#include <utility>

#include "core/drive/array_check.h"
#include "drive/core_builder.h"
#include "drive/power_loss.h"
#include "drive/untimed_host.h"

namespace cavern {

UntimedDrive::UntimedDrive(const DrivePlan& config, std::unique_ptr<DriveCore> core,
                           RunObserverIf* observer, HostDataIf* host, DriveBeginningIf* beginning)
    : config_(config), core_(std::move(core)),
      array_(config.geometry, config.nand.strict_order, true),
      data_(make_data(config, *core_, host)), periods_(config.geometry.units_per_page) {
    front_.emplace(*core_, config.geometry, *this);
    if (data_ != nullptr) {
        const WriteBuffer* buffer = std::as_const(*core_).buffer();
        moves_ = std::make_unique<UntimedData>(*data_, buffer != nullptr ? buffer->frames() : 0);
    }
    preconditioned_ = begin_drive(config_, *core_, array_, moves_.get(), observer, beginning);
    if (config_.power_loss.cuts != 0) {
        cuts_ = std::make_unique<PowerCuts>(array_, power_cut_params(config_));
        if (moves_ != nullptr) {
            cuts_->keep(*moves_);
        }
        cuts_->start(*core_);
    }
}

void UntimedDrive::run(RequestSourceIf& source, std::uint64_t warmup, RunObserverIf* observer,
                       std::uint32_t queue_depth) {
    // Where the core does not look at commands that wait, none need to.
    const bool waits = core_->queue_pins() != nullptr;
    const std::uint32_t depth = waits ? queue_depth : 1;
    outstanding_.resize(depth);
    UntimedHost host(source, observer, config_.host, depth, queue_depth, completed_);
    for (std::uint64_t sent = completed_;;) {
        CommandId id{waits ? static_cast<std::uint32_t>(sent % depth) : 0};
        while (host.send(sent - completed_, outstanding_[raw(id)])) {
            const std::uint64_t number = sent++;
            if (!waits) {
                break;
            }
            front_->arrive(id, command(id, number));
            id = CommandId{static_cast<std::uint32_t>(sent % depth)};
        }
        if (sent == completed_) {
            break;
        }
        if (completed_ == warmup && warmup != 0) {
            core_->reset_counters();
            by_op_ = {};
            written_before_cut_ = 0;
            zero_reads_ = 0;
            flash_ops_before_ = periods_.total().operations();
            periods_ = FlashPeriods(config_.geometry.units_per_page);
            if (data_ != nullptr) {
                data_->reset_statistics();
            }
        }
        if (waits) {
            front_->take_up_next();
        } else {
            front_->take_up(id, command(id, completed_));
        }
        if (cuts_ != nullptr) {
            decided(outstanding_[raw(id)]);
        }
    }
    if (cuts_ != nullptr) {
        cuts_->finish();
    }
}

/// A page that leaves takes with it what is in its frame: a new one comes in after it.
void UntimedDrive::write_data(const PageAccess& page, const WriteDecision& decision) {
    data_->begin_write(page_, page.request, page.offset - page.begins, page.offset, page.bytes);
    const bool through = decision.frame == kNoFrame;
    if (decision.hit || through) {
        moves_->write(page_, raw(decision.frame), through);
        carry_out(decision.batch);
    } else {
        carry_out(decision.batch);
        moves_->write(page_, raw(decision.frame), true);
    }
}

void UntimedDrive::read_data(const PageAccess& page, const ReadDecision& decision) {
    using Reads = UntimedData::Reads;
    data_->begin_read(page_, page.request, page.offset - page.begins, page.offset, page.bytes);
    const Reads how = decision.completes           ? Reads::kIntoOwnFrame
                      : decision.hit               ? Reads::kFrame
                      : decision.frame != kNoFrame ? Reads::kIntoNewFrame
                                                   : Reads::kFlash;
    moves_->read(page_, how, raw(decision.frame), decision.page);
}

void UntimedDrive::on_trim(CommandId, const TrimDecision& decision) {
    carry_out(decision.batch);
    if (data_ != nullptr) {
        data_->trim(completed_, decision.first, decision.pages);
    }
}

void UntimedDrive::on_read(CommandId, const PageAccess& page, const ReadDecision& decision) {
    carry_out(decision.batch);
    if (moves_ != nullptr) {
        read_data(page, decision);
    }
    if (decision.hit) {
        return;
    }
    if (decision.page == kNoPpn) {
        ++zero_reads_;
        return;
    }
    if (cuts_ != nullptr) {
        cuts_->read(page.lpn, decision.page, decision.version);
    } else {
        array_.read_expecting(decision.page, page.lpn, decision.version);
    }
    periods_.add_read();
}

// ---- loss of power ------------------------------------------------------------------------------

/// It has been counted.
void UntimedDrive::decided(const HostRequest& request) {
    cuts_->decided(*core_, completed_ - 1, request.op, request.fua);
    if (cuts_->is_due(config_.power_loss.cuts, config_.power_loss.gap)) {
        cut_power();
    } else {
        cuts_->settle();
    }
}

void UntimedDrive::cut_power() {
    written_before_cut_ = count(RequestOp::kWrite).bytes;
    front_.reset();
    core_ = cuts_->cut(*core_, [this](FlashContents contents) {
        return build_core(config_, nullptr, nullptr, std::move(contents));
    });
    front_.emplace(*core_, config_.geometry, *this);
}

std::uint64_t UntimedDrive::check_end_of_run() const {
    std::uint64_t facts = array_.checks();
    if (core_->queue_pins() != nullptr) {
        facts += core_->queue_pins()->check_invariants(true);
    }
    // Proportional to the drive, written or not.
    if (core_->ftl().logical_pages() <= kFullCheckPages) {
        facts += core_->check_invariants() + check_array_follows_core(*core_, array_);
    }
    return facts;
}

} // namespace cavern
