#include "tests/timed/dram/sdram_command_checker.h"

#include <map>

namespace cavern {

namespace {

struct BankHistory {
    std::optional<std::uint64_t> row;
    std::optional<DramClock> activate;
    std::optional<DramClock> precharge;
    std::optional<DramClock> read;
    std::optional<DramClock> write;
};

class Checker {
  public:
    explicit Checker(const SdramTiming& timing) : t_(timing), due_(timing.t_refi) {}

    void step(const SdramCommandRecord& c) {
        now_ = c.at;
        if (last_ && c.at <= *last_) {
            broken("command bus");
        }
        last_ = c.at;
        const bool is_refresh_work =
            c.command == SdramCommand::kPrechargeAll || c.command == SdramCommand::kRefresh;
        if (c.at >= due_ && !is_refresh_work) {
            broken("tREFI");
        }
        if (c.at < due_ && is_refresh_work) {
            broken("early refresh");
        }
        at_least(refresh_, t_.t_rfc, "tRFC");
        switch (c.command) {
        case SdramCommand::kActivate:
            activate(banks_[c.bank], c.row);
            break;
        case SdramCommand::kPrecharge:
            precharge(banks_[c.bank]);
            break;
        case SdramCommand::kPrechargeAll:
            for (auto& [index, bank] : banks_) {
                if (bank.row) {
                    precharge(bank);
                }
            }
            break;
        case SdramCommand::kRead:
            column(banks_[c.bank], c.row);
            at_least(write_, t_.cwl + t_.burst_length / 2 + t_.t_wtr, "tWTR");
            at_least(read_, t_.t_ccd, "tCCD");
            banks_[c.bank].read = read_ = now_;
            data(t_.cl);
            break;
        case SdramCommand::kWrite:
            column(banks_[c.bank], c.row);
            at_least(read_, t_.cl + t_.burst_length / 2 + 2 - t_.cwl, "RD to WR");
            at_least(write_, t_.t_ccd, "tCCD");
            banks_[c.bank].write = write_ = now_;
            data(t_.cwl);
            break;
        case SdramCommand::kRefresh:
            for (auto& [index, bank] : banks_) {
                if (bank.row) {
                    broken("refresh of an open bank");
                }
                at_least(bank.precharge, t_.t_rp, "tRP");
                at_least(bank.activate, t_.t_rc, "tRC");
            }
            refresh_ = now_;
            due_ += t_.t_refi;
            break;
        }
    }

    std::vector<std::string> take() { return std::move(broken_); }

  private:
    void activate(BankHistory& bank, std::uint64_t row) {
        if (bank.row) {
            broken("activate of an open bank");
        }
        at_least(bank.precharge, t_.t_rp, "tRP");
        at_least(bank.activate, t_.t_rc, "tRC");
        if (!activates_.empty()) {
            at_least(activates_.back(), t_.t_rrd, "tRRD");
        }
        if (activates_.size() >= 4) {
            at_least(activates_[activates_.size() - 4], t_.t_faw, "tFAW");
        }
        activates_.push_back(now_);
        bank.activate = now_;
        bank.row = row;
    }

    void precharge(BankHistory& bank) {
        if (!bank.row) {
            broken("precharge of a closed bank");
        }
        at_least(bank.activate, t_.t_ras, "tRAS");
        at_least(bank.read, t_.t_rtp, "tRTP");
        at_least(bank.write, t_.cwl + t_.burst_length / 2 + t_.t_wr, "tWR");
        bank.precharge = now_;
        bank.row.reset();
    }

    void column(const BankHistory& bank, std::uint64_t row) {
        if (!bank.row || *bank.row != row) {
            broken("column command to a row that is not open");
        }
        at_least(bank.activate, t_.t_rcd, "tRCD");
    }

    void data(DramClock latency) {
        const DramClock start = now_ + latency;
        if (start < data_end_) {
            broken("data bus");
        }
        data_end_ = start + t_.burst_length / 2;
    }

    void at_least(const std::optional<DramClock>& since, DramClock distance, const char* name) {
        if (since && now_ < *since + distance) {
            broken(name);
        }
    }

    void broken(const std::string& rule) {
        if (std::find(broken_.begin(), broken_.end(), rule) == broken_.end()) {
            broken_.push_back(rule);
        }
    }

    SdramTiming t_;
    DramClock due_;
    DramClock now_ = 0;
    std::optional<DramClock> last_;
    std::map<std::uint32_t, BankHistory> banks_;
    std::vector<DramClock> activates_;
    std::optional<DramClock> read_;
    std::optional<DramClock> write_;
    std::optional<DramClock> refresh_;
    DramClock data_end_ = 0;
    std::vector<std::string> broken_;
};

} // namespace

std::vector<std::string> check_sdram_trace(const std::vector<SdramCommandRecord>& trace,
                                           const SdramTiming& timing) {
    Checker checker(timing);
    for (const SdramCommandRecord& command : trace) {
        checker.step(command);
    }
    return checker.take();
}

} // namespace cavern
