#include "serve/stop_signals.h"

namespace cavern {
namespace {

volatile std::sig_atomic_t stop_requested = 0;
volatile std::sig_atomic_t cut_requested = 0;
volatile std::sig_atomic_t child_ended = 0;

extern "C" void request_stop_of_server(int) {
    stop_requested = 1;
}

extern "C" void request_power_cut(int) {
    cut_requested = 1;
}

extern "C" void note_end_of_child(int) {
    child_ended = 1;
}

} // namespace

StopSignals::StopSignals(bool cuts_power) {
    stop_requested = 0;
    cut_requested = 0;
    child_ended = 0;
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGCHLD);
    if (cuts_power) {
        sigaddset(&stop, SIGUSR1);
        std::signal(SIGUSR1, request_power_cut);
    }
    sigprocmask(SIG_BLOCK, &stop, &before_);
    std::signal(SIGINT, request_stop_of_server);
    std::signal(SIGTERM, request_stop_of_server);
    std::signal(SIGCHLD, note_end_of_child);
}

StopSignals::~StopSignals() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGCHLD, SIG_DFL);
    std::signal(SIGUSR1, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool StopSignals::stopping() {
    return stop_requested != 0;
}

bool StopSignals::take_power_cut() {
    const bool cut = cut_requested != 0;
    cut_requested = 0;
    return cut;
}

bool StopSignals::take_end_of_child() {
    const bool ended = child_ended != 0;
    child_ended = 0;
    return ended;
}

} // namespace cavern
