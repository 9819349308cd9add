#include "tests/support/in_another_process.h"

#include <cstdio>
#include <exception>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace cavern::testing {

namespace {

/// What the test has complained of so far, before it became two processes.
int complaints() {
    return ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
}

} // namespace

std::string in_another_process(const std::function<std::string()>& act) {
    std::FILE* file = std::tmpfile();
    const pid_t child = fork();
    if (child == 0) {
        const int before = complaints();
        std::string text;
        try {
            text = act();
        } catch (const std::exception& error) { // or this process would go on with the next test
            std::fprintf(stderr, "%s\n", error.what());
            _exit(1);
        }
        const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
        _exit(written && std::fflush(file) == 0 && complaints() == before ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "the run in the other process failed";
    std::rewind(file);
    std::string text;
    for (int byte = std::fgetc(file); byte != EOF; byte = std::fgetc(file)) {
        text.push_back(static_cast<char>(byte));
    }
    std::fclose(file);
    return text;
}

std::string first_difference(const std::string& one, const std::string& other) {
    std::istringstream ones(one);
    std::istringstream others(other);
    std::string left;
    std::string right;
    while (std::getline(ones, left)) {
        if (!std::getline(others, right) || left != right) {
            return left + " | " + right;
        }
    }
    return one.size() == other.size() ? "" : "one ends early";
}

} // namespace cavern::testing
