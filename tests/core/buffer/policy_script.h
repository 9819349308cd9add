#pragma once

#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/single_trigger.h"
#include "core/buffer/write_buffer.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {

/// A write buffer of a policy of the table, and what leaves it while a script such as "W1 R2"
/// (write page 1, read page 2) runs. `params` are of the policy's type Params.
class PolicyScript {
  public:
    PolicyScript(const std::string& policy, std::uint32_t capacity, std::uint32_t pages_per_block,
                 const SchemeParams& params = {}) {
        EvictionPolicyContext context;
        context.capacity = capacity;
        context.geometry = geometry_of(1, 1, 1, 8, pages_per_block);
        const EvictionPolicyRow* row = find_eviction_policy(policy);
        buffer_ = std::make_unique<WriteBuffer>(
            capacity, context.geometry, row->make(context, params),
            std::make_unique<SingleTrigger>(), false, &log_, row->needs_read_cache);
    }

    /// Evictions as "W13: [8,9]"; pages of them that need no flash write as "W13: drop 2".
    std::vector<std::string> run(const std::string& script) {
        std::vector<std::string> evictions;
        std::istringstream words(script);
        for (std::string word; words >> word;) {
            const std::size_t before = log_.lines.size();
            const Lpn lpn{std::stoull(word.substr(1))};
            const BufferAccess access = word[0] == 'W' ? buffer_->write(lpn) : buffer_->read(lpn);
            if (!access.evicted) {
                continue;
            }
            for (std::size_t i = before; i < log_.lines.size(); ++i) {
                const std::string& line = log_.lines[i];
                if (line.rfind("evict ", 0) == 0) {
                    evictions.push_back(word + ": " + (buffer_->victims().empty() ? "drop " : "") +
                                        line.substr(line.find('[')));
                }
            }
        }
        return evictions;
    }

    /// The pages below `end` that are resident, ascending.
    [[nodiscard]] std::vector<std::uint64_t> left(std::uint64_t end = 64) const {
        std::vector<std::uint64_t> pages;
        for (std::uint64_t lpn = 0; lpn < end; ++lpn) {
            if (buffer_->is_resident(Lpn{lpn})) {
                pages.push_back(lpn);
            }
        }
        return pages;
    }
    [[nodiscard]] const BufferCounters& counters() const { return buffer_->counters(); }
    [[nodiscard]] WriteBuffer& buffer() { return *buffer_; }

  private:
    RecordingLog log_;
    std::unique_ptr<WriteBuffer> buffer_;
};

} // namespace cavern::testing
