#include "results/progress.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <unistd.h>
#include <utility>

#include "core/base/part_files.h"

namespace cavern {
namespace {

constexpr int kInterrupted = 130; // exit status

volatile std::sig_atomic_t stop_requested = 0;

extern "C" void request_stop(int) {
    if (stop_requested != 0) {
        remove_parts();
        _exit(kInterrupted);
    }
    stop_requested = 1;
}

// A look at the clock costs more than a request when taken every time.
constexpr std::uint64_t kLookEvery = 1024;
constexpr std::chrono::milliseconds kShowEvery{200};

} // namespace

Progress::Progress(std::optional<std::uint64_t> total, bool quiet)
    : total_(total), terminal_(!quiet && isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()), last_(start_) {
    stop_requested = 0;
    std::signal(SIGINT, request_stop);
    std::signal(SIGTERM, request_stop);
}

Progress::~Progress() {
    finish();
    remove_parts_on_signals();
}

void Progress::preconditioning(std::uint64_t done, std::uint64_t most) {
    if (stop_requested != 0) {
        finish();
        throw Interrupted();
    }
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - last_ <= kShowEvery) {
        return;
    }
    last_ = now;
    shown_ = true;
    const double share = static_cast<double>(done) / static_cast<double>(most);
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    std::fprintf(stderr, "\rpreconditioning  %5.1f %%  %.0f s left at most \033[K", 100 * share,
                 elapsed / share - elapsed);
    std::fflush(stderr);
}

bool Progress::dispatching(std::uint64_t id) {
    if (stop_requested != 0) {
        interrupted_ = true;
        return false;
    }
    if (terminal_ && id % kLookEvery == 0) {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ > kShowEvery) {
            last_ = now;
            show(id);
        }
    }
    return true;
}

WaitDisplay::WaitDisplay(std::string what, bool quiet)
    : what_(std::move(what)), terminal_(!quiet && isatty(STDERR_FILENO) == 1),
      last_(std::chrono::steady_clock::now()) {}

void WaitDisplay::show(std::uint64_t count, const char* unit) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - last_ <= kShowEvery) {
        return;
    }
    last_ = now;
    shown_ = true;
    std::fprintf(stderr, "\r%s: %llu %s \033[K", what_.c_str(),
                 static_cast<unsigned long long>(count), unit);
    std::fflush(stderr);
}

void WaitDisplay::clear() {
    if (shown_) {
        std::fputs("\r\033[K", stderr);
        shown_ = false;
    }
}

bool Progress::stopping() {
    return stop_requested != 0;
}

void Progress::show(std::uint64_t done) {
    const double elapsed = std::chrono::duration<double>(last_ - start_).count();
    const double rate = static_cast<double>(done) / elapsed;
    shown_ = true;
    if (total_) {
        const double left =
            static_cast<double>(*total_ - std::min(done, *total_)) / std::max(rate, 1.0);
        std::fprintf(stderr, "\r%5.1f %%  %.0f requests/s  %.0f s left \033[K",
                     100.0 * static_cast<double>(done) / static_cast<double>(*total_), rate, left);
    } else {
        std::fprintf(stderr, "\r%llu requests  %.0f requests/s \033[K",
                     static_cast<unsigned long long>(done), rate);
    }
    std::fflush(stderr);
}

void Progress::finish() {
    if (shown_) {
        std::fputs("\r\033[K", stderr);
        shown_ = false;
    }
}

} // namespace cavern
