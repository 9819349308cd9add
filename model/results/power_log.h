#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "drive/ssd.h"
#include "results/energy.h"
#include "results/result_file.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// `--power`: what each part of the drive takes over time, one CSV line a period from the end of
/// the warm-up on. Nobody needs to know the length of the run: when there are too many periods,
/// each two become one. Array operations are spread over their time; what buses, SDRAM and link
/// moved is looked at about once a period, and spread over the time since.
class PowerLog final : public ResultFile, public ActivityLogIf {
  public:
    static constexpr std::size_t kMost = 4096;
    static constexpr TimePs kFirstPeriod = 10 * kUs;

    explicit PowerLog(const std::string& path) : ResultFile(path) {}
    /// Before the simulation starts.
    void watch(const Ssd& ssd) override;
    /// Prints the lines.
    void end_run(TimePs end) override;

    void bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
             TimePs duration, const NandExtension& command) override;
    void grant(ChannelId channel, std::uint32_t slot, TimePs at, TimePs waited) override;
    void array(DieId die, TimePs start, TimePs duration, const NandExtension& command) override;
    void host_queue(TimePs at, std::uint32_t outstanding) override;
    void buffer_pages(TimePs at, std::uint32_t resident) override;

  private:
    /// In joules, busy time in ps.
    struct Period {
        double nand = 0;
        double busy = 0;
        double bus = 0;
        double dram = 0;
        double link = 0;
    };

    void follow_warmup();
    void look(TimePs at);
    void sample(TimePs at);
    void spread(TimePs from, TimePs to, double amount, double Period::*part);
    Period& period_at(std::size_t index);

    const Ssd* ssd_ = nullptr;
    TimePs origin_ = 0;
    TimePs period_ = kFirstPeriod;
    TimePs sampled_at_ = 0;
    Period last_; ///< sample
    std::vector<Period> periods_;
};

} // namespace cavern
