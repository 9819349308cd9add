#include "workload/fio_job_file.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/source_dir.h"
#include "tests/workload/workload_fixture.h"

namespace cavern {
namespace {

const std::string kSample = testing::source_dir() + "/tests/reference/traces/sample.job";

FioJobs parse(const std::string& text) {
    return parse_fio_job_file(text, "j.fio");
}

TEST(FioJobFileTest, GlobalOptionsHoldForLaterJobsAndClonesFollow) {
    const FioJobs jobs = load_fio_job_file(kSample);
    ASSERT_EQ(jobs.jobs.size(), 3u);
    const FioJob& log = jobs.jobs[0];
    EXPECT_EQ(log.name, "log");
    EXPECT_EQ(log.line, 7u);
    EXPECT_TRUE(log.writes && !log.reads && !log.trims && !log.random);
    EXPECT_EQ(log.size->bytes, 64 * kMiB);
    EXPECT_EQ(log.rate[1], 10 * kMiB);
    EXPECT_EQ(log.fsync, 8u);
    for (const std::size_t i : {1u, 2u}) {
        const FioJob& users = jobs.jobs[i];
        EXPECT_TRUE(users.mixes() && users.random);
        EXPECT_EQ(users.rwmixread, 70);
        EXPECT_EQ(fio_region(jobs, users, kGiB, false).begin, i * 64 * kMiB);
        EXPECT_EQ(users.sizes[0].split.size(), 2u);
        EXPECT_EQ(users.sizes[1].most, 8192u);
        EXPECT_EQ(users.distribution[0].kind, Popularity::kZipf);
        EXPECT_EQ(users.rate_iops[0], 1000u);
        EXPECT_TRUE(users.poisson);
        EXPECT_EQ(users.fsync, 0u);
    }
}

TEST(FioJobFileTest, AJobIsPacedWhereAllThatItDoesIs) {
    const auto paced = [](const std::string& keys) {
        return parse("[j]\nsize=1m\n" + keys).jobs[0].paced();
    };
    EXPECT_FALSE(paced("rw=write\n"));
    EXPECT_TRUE(paced("rw=write\nrate_iops=100\n"));
    EXPECT_TRUE(paced("rw=write\nrate=,1m\n"));
    EXPECT_FALSE(paced("rw=rw\nrate=,1m\n"));
    EXPECT_TRUE(paced("rw=rw\nrate=2m,1m\n"));
    EXPECT_TRUE(paced("rw=rw\nthinktime=10\n"));
}

TEST(FioJobFileTest, UnitsAreThoseOfKbBase) {
    // As `fio --ioengine=null` has them: the "i" makes it decimal, unless kb_base says otherwise.
    const auto bytes = [](const std::string& keys) {
        return parse("[j]\nrw=read\n" + keys).jobs[0].size->bytes;
    };
    EXPECT_EQ(bytes("size=4k\n"), 4096u);
    EXPECT_EQ(bytes("size=4kb\n"), 4096u);
    EXPECT_EQ(bytes("size=4KiB\n"), 4000u);
    EXPECT_EQ(bytes("size=2MiB\n"), 2'000'000u);
    EXPECT_EQ(bytes("size=4k\nkb_base=1000\n"), 4000u);
    EXPECT_EQ(bytes("kb_base=1000\nsize=4KiB\n"), 4096u);
    EXPECT_EQ(parse("[global]\nkb_base=1000\n[j]\nsize=1m\n").jobs[0].size->bytes, 1'000'000u);
    const std::string refused = error_of([&] { parse("[j]\nrw=read\nbs=4KiB\n"); });
    EXPECT_NE(refused.find("fio reads 4KiB as 4000 bytes"), std::string::npos) << refused;
}

TEST(FioJobFileTest, MistakesAreNamedWithTheirLine) {
    const std::string job = "[j]\nrw=randrw\nsize=1m\n"; // three lines
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "1: no section is a job; "},
        {"rw=read\n", "1: \"rw\" stands before any section; "},
        {"[j\nrw=read\n", "1: the heading \"[j\" is none; "},
        {job + "rw=erase\n", "4: rw \"erase\" is unknown; "},
        {job + "bs=4q\n", "4: bs \"4q\" is no size; "},
        {job + "bs=4k,4k,4k,4k\n", "4: bs has more than three parts; "},
        {job + "size=120%\n", "4: size \"120\" is too large; "},
        {job + "bssplit=4k/60:8k/60\n", "4: bssplit adds up to 120"},
        {job + "rwmixread=101\n", "4: rwmixread \"101\" is too large; "},
        {job + "random_distribution=normal:5\n",
         "4: random_distribution \"normal:5\" is unknown; "},
        {job + "random_distribution=zoned:60/10\n", "4: random_distribution has zones"},
        {job + "thinktime=5weeks\n", "4: thinktime \"5weeks\" is no time"},
        {job + "wait_for=k\n", "1: job \"j\" waits for \"k\", which is no job"},
        {job + "ioengine=net\n", "4: ioengine \"net\" does something else"},
        {job + "ioengine=libaoi\n", "4: ioengine \"libaoi\" is no engine of fio 3.33; "},
        {job + "bs=$b\n", "4: bs \"$b\" names a variable; "},
        {job + "include other.fio\n", "4: unknown key \"include other.fio\"; "},
        {job + "time_based\n", "1: job \"j\" is time_based without a runtime"},
        {job + "rate_iops=1q,200\n", "4: rate_iops \"1q\" is no rate; "},
        {job + "nrfiles=4\n", "4: nrfiles \"4\" is not modelled; "},
        {job + "filename=/dev/a:/dev/b\n", "4: filename \"/dev/a:/dev/b\" is not modelled; "},
        {job + "pre_read=1\n", "4: pre_read \"1\" is not modelled; "},
        {job + "zonemode=strided\n", "1: job \"j\" has a zonemode without zonesize; "},
        {job + "latency_target=5ms\n", "4: unknown key \"latency_target\"; "},
        {job + "rate_min=1m\n", "4: unknown key \"rate_min\"; "},
        {job + "read_iolog=log\n", "4: unknown key \"read_iolog\"; "}};
    EXPECT_EQ(error_of([&] { parse(job); }), "none");
    for (const auto& [text, message] : cases) {
        const std::string error = error_of([&] { parse(text); });
        EXPECT_EQ(error.substr(0, 6 + message.size()), "j.fio:" + message) << text;
        EXPECT_NE(error.find("; "), std::string::npos) << error;
    }
}

TEST(FioJobFileTest, ADriveGivesSizeToAJobThatHasNone) {
    const auto region = [](const std::string& keys) {
        const FioJobs jobs = parse("[j]\nrw=read\n" + keys);
        return fio_region(jobs, jobs.jobs[0], kMiB, false);
    };
    EXPECT_EQ(region("").bytes, kMiB);
    EXPECT_EQ(region("offset=50%\nsize=25%\n").begin, kMiB / 2);
    EXPECT_EQ(region("offset=50%\nsize=25%\n").bytes, kMiB / 4);
    EXPECT_EQ(region("offset=8k\n").bytes, kMiB - 8 * kKiB);
    EXPECT_EQ(region("offset=4z\nsize=4k\nzonesize=64k\n").begin, 256 * kKiB);
    // With filesize that is the file: behind the offset is what is left of it.
    EXPECT_EQ(region("filesize=512k\nsize=4k\noffset=128k\n").bytes, 384 * kKiB);
    EXPECT_EQ(region("filesize=512k\nsize=4k\noffset=128k\n").limit, 4 * kKiB);
    const std::string beyond = error_of([&] { region("offset=2m\n"); });
    EXPECT_NE(beyond.find("begins at byte 2097152, beyond the drive"), std::string::npos) << beyond;
    EXPECT_NE(error_of([&] { region("size=2m\n"); }).find("beyond the drive"), std::string::npos);
}

TEST(FioJobFileTest, WhatSaysHowFioWorksIsIgnored) {
    const FioJobs jobs = parse("# c\n; c\n[global]\nioengine=libaio\ndirect=1\ngroup_reporting\n"
                               "[j]\nfilename=/dev/sdb\nrw=read\nsize=1m\n");
    EXPECT_TRUE(jobs.notes.empty());
    EXPECT_EQ(jobs.jobs.size(), 1u);
    // What is left out although somebody may want it has a word.
    EXPECT_EQ(parse("[j]\ndirect=1\nrw=read\nverify=crc32c\n").notes.size(), 1u);
}

} // namespace
} // namespace cavern
