#include "results/run_warnings.h"

#include <fmt/format.h>

#include "config/config_show.h"

namespace cavern {
namespace {

void add_emptiness(const RunResults& run, std::vector<std::string>& found) {
    const RunInput& input = run.facts.identity.input;
    if (run.requests == 0) {
        found.push_back(
            input.limit == 0 ? "Nothing was played: --limit is 0."
            : input.kind == "clients"
                ? "Nothing was played: no client has sent a request."
                : fmt::format("Nothing was played: the {} has no request.", input.kind));
    } else if (input.warmup >= run.requests) {
        found.push_back(
            fmt::format("Nothing was measured: all {} requests are warm-up.", run.requests));
    }
}

void add_zero_reads(const RunResults& run, std::vector<std::string>& found) {
    const std::uint64_t zeros = run.timed != nullptr
                                    ? run.timed->buffer_manager().statistics().zero_reads
                                    : run.untimed->zero_reads();
    if (zeros != 0) {
        found.push_back(fmt::format("{} pages were read that were never written: no flash read was "
                                    "needed. precondition.fill writes them before the run.",
                                    zeros));
    }
}

void add_collection(const RunResults& run, std::vector<std::string>& found) {
    const PreconditionConfig& asked = run.config().precondition;
    if ((asked.until_steady || asked.overwrite > 0) && requests_of(run, RequestOp::kWrite) != 0 &&
        !has_collected(run)) {
        found.push_back("The drive was to be steady, and nothing was collected in the run: it has "
                        "too few writes to show what collection costs.");
    }
}

/// Warns of a drive that collects: any other changes its rate with its load alone.
void add_unsteadiness(const RunResults& run, std::vector<std::string>& found) {
    const std::optional<RunVerdict> verdict = verdict_of(run);
    if (!verdict || verdict->is_steady || !has_collected(run)) {
        return;
    }
    const SteadyState& rule = run.config().precondition.steady;
    found.push_back(fmt::format(
        "The drive was not steady at the end: over the last {:.3g} s its bandwidth varied by "
        "{:.0f} % of its mean and rose or fell by {:.0f} %; steady is at most {:.0f} % and "
        "{:.0f} %.",
        static_cast<double>(verdict->round_ns) * rule.window / 1e9, 100 * verdict->window.range,
        100 * verdict->window.slope, 100 * rule.range, 100 * rule.slope));
}

void add_throttle(const RunResults& run, std::vector<std::string>& found) {
    const WriteBuffer* buffer = run.core.buffer();
    if (run.timed == nullptr || buffer == nullptr || buffer->evicts_blocks() ||
        run.timed->buffer_manager().statistics().stall == 0) {
        return;
    }
    if (const std::string why = buffer->trigger().throttle(); !why.empty()) {
        found.push_back(why +
                        ": writes wait for room in the buffer while dies have nothing to do.");
    }
}

} // namespace

std::vector<std::string> run_warnings(const RunResults& run) {
    std::vector<std::string> found = run.facts.identity.notes;
    for (std::string& note : notes_on_defaults(run.resolved)) {
        found.push_back(std::move(note));
    }
    if (run.facts.sample != nullptr) {
        found.insert(found.end(), run.facts.sample->notes.begin(), run.facts.sample->notes.end());
    }
    add_emptiness(run, found);
    add_zero_reads(run, found);
    add_collection(run, found);
    add_unsteadiness(run, found);
    add_throttle(run, found);
    return found;
}

} // namespace cavern
