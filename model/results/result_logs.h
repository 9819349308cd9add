#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/decision_log.h"
#include "results/result_file.h"
#include "timed/host/host_interface.h"

namespace cavern {

/// `--requests`: a RequestRow for each completed request, in order of completion. `origins`: there
/// are several jobs or queues, and each row says of which it is.
class RequestCsv final : public ResultFile, public RequestLogIf {
  public:
    explicit RequestCsv(const std::string& path, bool origins = false);
    void completed(const CompletedRequest& request) override;

  private:
    bool origins_;
    fmt::memory_buffer line_; ///< scratch
};

/// `--decisions`: one JSON object a line, in the order decided. `clock` gives the simulated time of
/// the field "t". Nothing is written before begin_run() (preconditioning).
class DecisionJsonl final : public ResultFile, public DecisionLogIf {
  public:
    DecisionJsonl(const std::string& path, const Geometry& geometry, std::function<TimePs()> clock);
    void begin_run() override { muted_ = false; }

    void write(Lpn lpn, bool hit) override;
    void read(Lpn lpn, bool hit) override;
    void trim(Lpn lpn) override;
    void pin_page(Lpn lpn) override;
    void pin_block(Lbn lbn) override;
    void evict_page(Lpn lpn) override;
    void evict_block(Lbn lbn, const std::vector<Lpn>& pages,
                     const std::vector<Lpn>& padding) override;
    void clean_page(Lpn lpn) override;
    void clean_block(Lbn lbn, const std::vector<Lpn>& pages,
                     const std::vector<Lpn>& padding) override;
    void allocate(Lbn lbn, DieId die, std::optional<DieId> from) override;
    void program(Origin origin, Lpn lpn, Ppn page) override;
    void merge(MergeKind kind, Lbn lbn, std::uint32_t copies, std::uint32_t erases) override;
    void gc(BlockId victim, std::uint32_t copies) override;
    void tune(const TuneEvent& event) override;
    void level(BlockId block, std::uint32_t copies) override;
    void refresh(BlockId block, std::uint32_t copies) override;
    void fold(BlockId block, std::uint32_t copies) override;
    void retire(BlockId block) override;
    void map(MapEvent event, std::uint32_t table, std::uint32_t entries) override;

  private:
    void leaves(const char* how, Lbn lbn, const std::vector<Lpn>& pages,
                const std::vector<Lpn>& padding);
    void emptied(const char* why, BlockId block, std::uint32_t copies);
    [[nodiscard]] std::string place_of(BlockId block) const;
    template <typename... Args>
    void event(fmt::format_string<Args...> format, Args&&... args);

    Geometry geometry_;
    std::function<TimePs()> clock_;
    bool muted_ = true;
};

} // namespace cavern
