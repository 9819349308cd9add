#include "serve/client_command.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/base/error.h"
#include "serve/stop_signals.h"

namespace cavern {
namespace {

using namespace std::chrono_literals;

/// A command that is told to end has so long for it.
constexpr auto kEnds = 1s;
constexpr auto kCommandLook = 10ms;

} // namespace

ClientCommand::ClientCommand(const std::string& command, const std::string& uri,
                             const std::string& socket) {
    if (command.empty()) {
        return;
    }
    child_ = fork();
    if (child_ < 0) {
        throw UserError("<command line>", 1,
                        std::string("--run cannot start a shell: ") + std::strerror(errno),
                        "end other processes");
    }
    if (child_ != 0) {
        return;
    }
    for (const int each : {SIGINT, SIGTERM, SIGCHLD}) {
        std::signal(each, SIG_DFL);
    }
    sigset_t nothing;
    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, nullptr);
    setenv("uri", uri.c_str(), 1);
    setenv("unixsocket", socket.c_str(), 1);
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
}

ClientCommand::~ClientCommand() {
    if (child_ <= 0) {
        return;
    }
    kill(child_, SIGTERM);
    const auto end = std::chrono::steady_clock::now() + kEnds;
    while (waitpid(child_, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > end) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
            return;
        }
        std::this_thread::sleep_for(kCommandLook);
    }
}

bool ClientCommand::ended() {
    int status = 0;
    if (child_ > 0 && StopSignals::take_end_of_child() &&
        waitpid(child_, &status, WNOHANG) == child_) {
        child_ = 0;
        ended_ = true;
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return ended_;
}

} // namespace cavern
