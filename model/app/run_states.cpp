#include "app/run_states.h"

#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "config/config_show.h"
#include "core/base/units.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "results/progress.h"
#include "results/run_identity.h"

namespace cavern {

RunStates::RunStates(const RunOptions& options, const ResolvedConfig& resolved,
                     RunObserverIf* observer) {
    const bool is_cached = options.load_state.empty() && !options.state_cache.empty();
    if (!options.load_state.empty() || !options.save_state.empty()) {
        const bool played = !options.save_state.empty() && !only_saves_state(options);
        require_savable(resolved, played ? StateKind::kPlayed : StateKind::kPreconditioned);
    }
    if (!options.load_state.empty()) {
        beginning_ = std::make_unique<SavedDrive>(options.load_state, resolved);
    } else if (is_cached && is_savable(resolved, StateKind::kPreconditioned)) {
        beginning_ = std::make_unique<CachedDrive>(
            options.state_cache, options.cache_bytes, resolved,
            fmt::format("{} {}", program_version(), program_commit()), observer);
    }
    if (!options.save_state.empty()) {
        saver_.emplace(options.save_state, resolved);
    }
}

bool only_saves_state(const RunOptions& options) {
    return !options.save_state.empty() && options.traces.empty() && options.workload.empty();
}

int save_preconditioned(const RunOptions& options, const ResolvedConfig& resolved) {
    Progress progress(std::nullopt, options.quiet);
    RunStates states(options, resolved, &progress);
    UntimedDrive drive(resolved.config, build_core(resolved.config, nullptr), &progress, nullptr,
                       states.beginning());
    progress.finish();
    (void)drive.check_end_of_run();
    states.save(drive, StateKind::kPreconditioned);
    states.commit();
    if (!options.quiet) {
        std::error_code none;
        std::cout << fmt::format("  drive  {}\n  state  {} ({})\n", capacity_text(resolved.config),
                                 options.save_state,
                                 size_text(std::filesystem::file_size(options.save_state, none)));
    }
    return 0;
}

} // namespace cavern
