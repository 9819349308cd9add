#include "serve/live_view.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace cavern {
namespace {

double per(double amount, double over) {
    return over == 0 ? 0 : amount / over;
}

double us(std::uint64_t ns) {
    return static_cast<double>(ns) / 1000.0;
}

/// Shares of `span` by which the busy times have grown: eight steps, a column each.
std::string bars(const std::vector<TimePs>& now, const std::vector<TimePs>& before, TimePs span) {
    static constexpr const char* kSteps[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    constexpr std::size_t kMost = 64;
    std::string text;
    double sum = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const double share =
            std::min(1.0, per(static_cast<double>(now[i] - before[i]), static_cast<double>(span)));
        sum += share;
        if (i < kMost) {
            text += kSteps[static_cast<std::size_t>(share * 8 + 0.5)];
        }
    }
    return fmt::format("{:3.0f} %  {}", 100 * sum / static_cast<double>(now.size()), text);
}

} // namespace

LiveView::LiveView(const LiveDrive& drive, DriveExport& exported, std::string clients)
    : drive_(drive), export_(exported), clients_(std::move(clients)), last_(count()) {}

LiveView::Counted LiveView::count() const {
    Counted counted;
    counted.wall = ServeClock::Wall::now();
    counted.drive = drive_.now();
    counted.requests = export_.statistics().requests;
    counted.bytes_read = export_.statistics().bytes_read;
    counted.bytes_written = export_.statistics().bytes_written;
    counted.host_pages = drive_.ssd().core().ftl().counters().host_pages;
    counted.programs = drive_.ssd().core().ftl().programs();
    const Geometry geometry = drive_.ssd().config().nand.geometry;
    for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
        counted.dies.push_back(drive_.ssd().die(DieId{die}).statistics().busy);
    }
    for (std::uint32_t channel = 0; channel < geometry.channels; ++channel) {
        counted.channels.push_back(drive_.ssd().channel(channel).statistics().busy);
    }
    return counted;
}

std::string LiveView::lines(std::size_t connections) {
    const Counted now = count();
    const Counted before = std::exchange(last_, now);
    const Histogram took = export_.take_latencies();
    const TimePs span = now.drive - before.drive;
    const double drive_s = static_cast<double>(span) / static_cast<double>(kSecond);
    const double wall_s = std::chrono::duration<double>(now.wall - before.wall).count();
    const auto requests = static_cast<double>(now.requests - before.requests);
    const auto host_pages = static_cast<double>(now.host_pages - before.host_pages);
    std::string text = fmt::format("{}   {} connections\n", clients_, connections);
    text += fmt::format("drive time {:.3f} s, {:.3f} s for each second on the wall\n",
                        static_cast<double>(now.drive) / static_cast<double>(kSecond),
                        per(drive_s, wall_s));
    text +=
        fmt::format("requests   {:>9.0f} /s of drive time   {:>9.0f} /s on the wall   queue {}\n",
                    per(requests, drive_s), per(requests, wall_s), drive_.outstanding());
    text += fmt::format(
        "bytes      read {:>8.1f} MB/s   written {:>8.1f} MB/s of drive time\n",
        per(static_cast<double>(now.bytes_read - before.bytes_read), drive_s) / 1e6,
        per(static_cast<double>(now.bytes_written - before.bytes_written), drive_s) / 1e6);
    text += fmt::format("latency us p50 {:>9.1f}   p95 {:>9.1f}   p99 {:>9.1f}   max {:>9.1f}\n",
                        us(took.quantile(0.5)), us(took.quantile(0.95)), us(took.quantile(0.99)),
                        us(took.max()));
    text +=
        fmt::format("WAF        {:.2f} now, {:.2f} since the start\n",
                    per(static_cast<double>(now.programs - before.programs), host_pages),
                    per(static_cast<double>(now.programs), static_cast<double>(now.host_pages)));
    text += "dies       " + bars(now.dies, before.dies, span) + "\n";
    text += "buses      " + bars(now.channels, before.channels, span) + "\n";
    return text;
}

std::string LiveView::over_the_last(std::size_t connections) {
    const std::string fresh = lines(connections);
    std::string text = shown_ == 0 ? std::string() : fmt::format("\033[{}A", shown_);
    for (const char c : fresh) {
        text += c == '\n' ? "\033[K\n" : std::string(1, c); // what was longer before goes
    }
    shown_ = static_cast<std::size_t>(std::count(fresh.begin(), fresh.end(), '\n'));
    return text;
}

} // namespace cavern
