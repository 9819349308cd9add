#include "tests/support/test_events.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace cavern::testing {
namespace {

double seconds_of(int whose) {
    rusage usage{};
    ::getrusage(whose, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double processor_seconds() {
    return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
}

/// One line for each event: `start NAME`, `end NAME passed|failed|skipped SECONDS`.
class TestEvents : public ::testing::EmptyTestEventListener {
  public:
    explicit TestEvents(int descriptor) : descriptor_(descriptor) {}

  private:
    void OnTestStart(const ::testing::TestInfo& test) override {
        start_ = processor_seconds();
        write_line("start " + name_of(test));
    }
    void OnTestEnd(const ::testing::TestInfo& test) override {
        const ::testing::TestResult& result = *test.result();
        const char* how = result.Failed() ? "failed" : result.Skipped() ? "skipped" : "passed";
        write_line("end " + name_of(test) + " " + how + " " +
                   std::to_string(processor_seconds() - start_));
    }

    static std::string name_of(const ::testing::TestInfo& test) {
        return std::string(test.test_suite_name()) + "." + test.name();
    }
    void write_line(std::string line) const {
        line += '\n';
        if (::write(descriptor_, line.data(), line.size()) < 0) {
            std::abort(); // nobody listens any more
        }
    }

    int descriptor_;
    double start_ = 0;
};

} // namespace

void report_test_events() {
    if (const char* descriptor = std::getenv("CAVERN_TEST_EVENTS")) {
        ::testing::UnitTest::GetInstance()->listeners().Append(
            new TestEvents(std::atoi(descriptor))); // gtest deletes it
    }
}

} // namespace cavern::testing
