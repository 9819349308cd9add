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

struct GroupHistory {
    std::optional<DramClock> activate;
    std::optional<DramClock> read;
    std::optional<DramClock> write;
};

struct RankHistory : GroupHistory {
    std::optional<DramClock> precharge_all;
    std::optional<DramClock> refresh;
    std::vector<DramClock> activates;
    DramClock due = 0;
};

class Checker {
  public:
    explicit Checker(const SdramTiming& timing) : t_(timing) {
        for (std::uint32_t rank = 0; rank < t_.ranks; ++rank) {
            ranks_[rank].due = t_.t_refi + rank * (t_.t_refi / t_.ranks);
        }
    }

    void step(const SdramCommandRecord& c) {
        now_ = c.at;
        if (last_ && c.at <= *last_) {
            broken("command bus");
        }
        last_ = c.at;
        const std::uint32_t number = c.bank / t_.banks;
        RankHistory& rank = ranks_[number];
        const std::uint32_t group_number = number * t_.bank_groups + c.bank % t_.bank_groups;
        GroupHistory& group = groups_[group_number];
        const bool is_refresh_work =
            c.command == SdramCommand::kPrechargeAll || c.command == SdramCommand::kRefresh;
        if (c.at >= rank.due && !is_refresh_work) {
            broken("tREFI");
        }
        if (c.at < rank.due && is_refresh_work) {
            broken("early refresh");
        }
        at_least(rank.refresh, t_.t_rfc, "tRFC");
        const std::uint32_t burst = t_.burst_length / 2;
        switch (c.command) {
        case SdramCommand::kActivate:
            activate(banks_[c.bank], c.row, rank, group);
            break;
        case SdramCommand::kPrecharge:
            precharge(banks_[c.bank]);
            break;
        case SdramCommand::kPrechargeAll:
            for (auto& [index, bank] : banks_) {
                if (bank.row && index / t_.banks == number) {
                    precharge(bank);
                }
            }
            rank.precharge_all = now_;
            break;
        case SdramCommand::kRead:
            column(banks_[c.bank], c.row);
            at_least(group.write, t_.cwl + burst + t_.wtr_l(), name("tWTR", "tWTR_L"));
            at_least(rank.write, t_.cwl + burst + t_.t_wtr, name("tWTR", "tWTR_S"));
            at_least(group.read, t_.ccd_l(), name("tCCD", "tCCD_L"));
            at_least(rank.read, t_.t_ccd, name("tCCD", "tCCD_S"));
            banks_[c.bank].read = group.read = rank.read = now_;
            data(t_.cl, number);
            break;
        case SdramCommand::kWrite:
            column(banks_[c.bank], c.row);
            at_least(rank.read, t_.cl + burst + 2 - t_.cwl, "RD to WR");
            at_least(group.write, t_.ccd_l(), name("tCCD", "tCCD_L"));
            at_least(rank.write, t_.t_ccd, name("tCCD", "tCCD_S"));
            banks_[c.bank].write = group.write = rank.write = now_;
            data(t_.cwl, number);
            break;
        case SdramCommand::kRefresh:
            for (auto& [index, bank] : banks_) {
                if (index / t_.banks != number) {
                    continue;
                }
                if (bank.row) {
                    broken("refresh of an open bank");
                }
                at_least(bank.precharge, t_.t_rp, "tRP");
                at_least(bank.activate, t_.t_rc, "tRC");
            }
            if (t_.t_rp_ab != 0) {
                at_least(rank.precharge_all, t_.t_rp_ab, "tRPab");
            }
            rank.refresh = now_;
            rank.due += t_.t_refi;
            break;
        }
    }

    std::vector<std::string> take() { return std::move(broken_); }

  private:
    void activate(BankHistory& bank, std::uint64_t row, RankHistory& rank, GroupHistory& group) {
        if (bank.row) {
            broken("activate of an open bank");
        }
        at_least(bank.precharge, t_.t_rp, "tRP");
        at_least(bank.activate, t_.t_rc, "tRC");
        at_least(group.activate, t_.rrd_l(), name("tRRD", "tRRD_L"));
        at_least(rank.activate, t_.t_rrd, name("tRRD", "tRRD_S"));
        if (rank.activates.size() >= 4) {
            at_least(rank.activates[rank.activates.size() - 4], t_.t_faw, "tFAW");
        }
        rank.activates.push_back(now_);
        bank.activate = group.activate = rank.activate = now_;
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

    void data(DramClock latency, std::uint32_t rank) {
        const DramClock start = now_ + latency;
        if (start < data_end_) {
            broken("data bus");
        } else if (data_end_ != 0 && rank != data_rank_ && start < data_end_ + t_.t_rtrs) {
            broken("tRTRS");
        }
        data_end_ = start + t_.burst_length / 2;
        data_rank_ = rank;
    }

    void at_least(const std::optional<DramClock>& since, DramClock distance, const char* name) {
        if (since && now_ < *since + distance) {
            broken(name);
        }
    }

    /// The rule by its name without and with bank groups.
    [[nodiscard]] const char* name(const char* alone, const char* grouped) const {
        return t_.bank_groups == 1 ? alone : grouped;
    }

    void broken(const std::string& rule) {
        if (std::find(broken_.begin(), broken_.end(), rule) == broken_.end()) {
            broken_.push_back(rule);
        }
    }

    SdramTiming t_;
    DramClock now_ = 0;
    std::optional<DramClock> last_;
    std::map<std::uint32_t, BankHistory> banks_;
    std::map<std::uint32_t, GroupHistory> groups_;
    std::map<std::uint32_t, RankHistory> ranks_;
    DramClock data_end_ = 0;
    std::uint32_t data_rank_ = 0;
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
