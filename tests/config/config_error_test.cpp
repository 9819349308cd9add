#include <algorithm>

#include "core/alloc/allocator_table.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/eviction_trigger_table.h"
#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

using ConfigErrorTest = ConfigFixture;

struct Case {
    std::string text;
    std::string error;
};

/// What messages offer for buffer.policy and buffer.eviction.
std::string policies() {
    return "available: " + names_of(eviction_policy_table(), "none");
}
std::string rates() {
    return "available, alone or in a list: " + names_of(eviction_trigger_table());
}

/// For alloc.scheme, the 24 page orders in one phrase.
std::string schemes() {
    std::vector<AllocatorRow> rows;
    for (const AllocatorRow& row : allocator_table()) {
        std::string letters = row.name;
        std::sort(letters.begin(), letters.end());
        if (letters != "cdpw") {
            rows.push_back(row);
        }
    }
    return "available: " + names_of(rows) +
           ", or the letters c, w, d, p in any order, such as cwdp";
}

TEST_F(ConfigErrorTest, UnknownKeysNameTheNearestKnownOne) {
    const std::string all = "\"cavern config list\" shows all keys";
    const Case cases[] = {
        {"[buffer]\npolcy = \"lru-page\"\n", "drive.toml:2: unknown key \"buffer.polcy\"; "
                                             "did you mean \"buffer.policy\"? " +
                                                 all},
        {"[nand]\n\nchanels = 8\n", "drive.toml:3: unknown key \"nand.chanels\"; "
                                    "did you mean \"nand.channels\"? " +
                                        all},
        {"queue_depth = 8\n", "drive.toml:1: unknown key \"queue_depth\"; "
                              "did you mean \"host.queue_depth\"? " +
                                  all},
        {"\n[bufer]\nsize = \"1MiB\"\n", "drive.toml:2: unknown key \"bufer\"; "
                                         "did you mean \"buffer\"? " +
                                             all},
        {"extend = \"base.toml\"\n", "drive.toml:1: unknown key \"extend\"; "
                                     "did you mean \"extends\"? " +
                                         all},
        {"[buffer.cave]\nvictim = 3\n", "drive.toml:2: unknown key \"buffer.cave.victim\"; "
                                        "did you mean \"buffer.cave.victims\"? " +
                                            all},
        {"colour_of_the_case = \"blue\"\n",
         "drive.toml:1: unknown key \"colour_of_the_case\"; " + all},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
    EXPECT_EQ(error_of("", {"seed=1", "ftl.gc_lwo=1"}),
              "<command line>:2: unknown key \"ftl.gc_lwo\"; did you mean \"ftl.gc_low\"? " + all);
}

TEST_F(ConfigErrorTest, TheFirstMistakeOfTheFileIsReported) {
    // Tables are read by name, "alloc" before "nand"; the file has them the other way round.
    EXPECT_EQ(error_of("[nand]\nfoo_bar_baz = 1\n[alloc]\nqux_quux_x = 2\n"),
              "drive.toml:2: unknown key \"nand.foo_bar_baz\"; "
              "\"cavern config list\" shows all keys");
    EXPECT_EQ(error_of("[nand]\nways = -1\n[alloc]\nscheme = 2\n"),
              "drive.toml:2: nand.ways = -1 is out of range; a whole number from 1 to 16");
}

TEST_F(ConfigErrorTest, QuantitiesNeedTheirUnit) {
    const std::string size = "a size in B, KiB, MiB, GiB, TiB (or KB, MB, GB, TB), such as "
                             "\"16MiB\", from 1B to 1024TiB";
    const Case cases[] = {
        {"[buffer]\nsize = 16\n", "drive.toml:2: buffer.size has no unit; " + size},
        {"[buffer]\nsize = \"16\"\n", "drive.toml:2: buffer.size = \"16\" has no unit; " + size},
        {"[buffer]\nsize = \"16ms\"\n",
         "drive.toml:2: buffer.size = \"16ms\" cannot be read; " + size},
        {"[buffer]\nsize = true\n", "drive.toml:2: buffer.size is true or false; " + size},
        {"[buffer]\nsize = [\"1MiB\"]\n", "drive.toml:2: buffer.size is a list; " + size},
        {"[buffer]\nsize = \"0B\"\n",
         "drive.toml:2: buffer.size = \"0B\" is out of range; " + size},
        {"[nand]\nt_erase = \"1.5MB\"\n",
         "drive.toml:2: nand.t_erase = \"1.5MB\" cannot be read; a time in ps, ns, us, ms or s, "
         "such as \"25us\", from 1ps to 1000s"},
        {"[nand]\nt_read = [\"25us\", 30]\n",
         "drive.toml:2: nand.t_read has no unit; a time in ps, ns, us, ms or s, such as \"25us\" "
         "or a list of such, from 1ps to 1000s"},
        {"[nand]\nt_read = []\n",
         "drive.toml:2: nand.t_read is an empty list; a time in ps, ns, us, ms or s, such as "
         "\"25us\" or a list of such, from 1ps to 1000s"},
        {"[host]\nbandwidth = \"200MHz\"\n",
         "drive.toml:2: host.bandwidth = \"200MHz\" cannot be read; a rate in B/s, KB/s, MB/s, "
         "GB/s, KiB/s, MiB/s, GiB/s or MT/s, such as \"200MB/s\", from 1B/s to 1000GB/s"},
        {"[channel]\narbiter_clock = \"200MB/s\"\n",
         "drive.toml:2: channel.arbiter_clock = \"200MB/s\" cannot be read; a frequency in Hz, "
         "kHz, MHz or GHz, such as \"400MHz\", from 1kHz to 100GHz"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
}

TEST_F(ConfigErrorTest, WrongTypesSayWhatIsThereAndWhatWouldBeRight) {
    const Case cases[] = {
        {"seed = \"one\"\n", "drive.toml:1: seed is a text; "
                             "a whole number from 0 to 9223372036854775807"},
        {"[nand]\nways = 4.5\n", "drive.toml:2: nand.ways is a number with a fraction; "
                                 "a whole number from 1 to 16"},
        {"[ftl]\noverprovision = \"7%\"\n",
         "drive.toml:2: ftl.overprovision is a text; a number above 0 and below 1"},
        {"[buffer]\nread_touch = 1\n",
         "drive.toml:2: buffer.read_touch is a whole number; true or false"},
        {"[buffer.policy]\nname = \"x\"\n",
         "drive.toml:1: buffer.policy is a table; " + policies()},
        {"buffer = \"lru-page\"\n",
         "drive.toml:1: buffer is a section; write its keys below [buffer]"},
        {"name = 2024-01-01\n", "drive.toml:1: name is a date or time of day; a text in quotes"},
        {"name = \"\"\n", "drive.toml:1: name is empty; a text in quotes"},
        {"extends = 1\n", "drive.toml:1: extends is no text; the path of a TOML file in quotes"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
}

TEST_F(ConfigErrorTest, WordsAreUnknown) {
    const Case cases[] = {
        {"[buffer]\npolicy = \"lru-pgae\"\n",
         "drive.toml:2: buffer.policy = \"lru-pgae\" is unknown; did you mean \"lru-page\"? " +
             policies()},
        {"[buffer]\npolicy = \"belady\"\n",
         "drive.toml:2: buffer.policy = \"belady\" is unknown; " + policies()},
        {"fidelity = \"lt\"\n", "drive.toml:1: fidelity = \"lt\" is unknown; did you mean \"at\"? "
                                "available: at, untimed, sampled"},
        {"[host]\ninterface = \"nvm\"\n",
         "drive.toml:2: host.interface = \"nvm\" is unknown; did you mean \"nvme\"? "
         "available: sata, direct, nvme"},
        {"[buffer]\neviction = [\"cave\", \"cvae\"]\n",
         "drive.toml:2: buffer.eviction = \"cvae\" is unknown; did you mean \"cave\"? " + rates()},
        {"[buffer]\neviction = [\"cave\", \"cave\"]\n",
         "drive.toml:2: buffer.eviction names \"cave\" twice; " + rates()},
        {"[alloc]\nscheme = \"cwdd\"\n",
         "drive.toml:2: alloc.scheme = \"cwdd\" is unknown; did you mean \"cwdp\"? " + schemes()},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
}

TEST_F(ConfigErrorTest, WholeNumbersMayHaveAnExponent) {
    EXPECT_EQ(load("", {"nand.blocks_per_plane=1e3"}).config.nand.geometry.blocks_per_plane, 1000u);
    EXPECT_EQ(load("[nand]\nblocks_per_plane = 2.0e3\n").config.nand.geometry.blocks_per_plane,
              2000u);
    const Case cases[] = {
        {"[nand]\nchannels = 2.5\n", "drive.toml:2: nand.channels is a number with a fraction; a "
                                     "whole number from 1 to 64"},
        {"[nand]\nchannels = 1e3\n", "drive.toml:2: nand.channels = 1000 is out of range; a whole "
                                     "number from 1 to 64"},
        {"[nand]\nchannels = 1e300\n", "drive.toml:2: nand.channels = 1e+300 is out of range; a "
                                       "whole number from 1 to 64"},
        {"[nand]\nchannels = -1e0\n", "drive.toml:2: nand.channels = -1 is out of range; a whole "
                                      "number from 1 to 64"},
        {"[nand]\nchannels = nan\n", "drive.toml:2: nand.channels is a number with a fraction; a "
                                     "whole number from 1 to 64"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
}

TEST_F(ConfigErrorTest, AClockHasAPeriodOfWholePicoseconds) {
    EXPECT_EQ(error_of("[cpu]\nclock = \"500MHz\"\n"), "no error");
    for (const char* key : {"[cpu]\nclock", "[channel]\narbiter_clock"}) {
        EXPECT_EQ(error_of(std::string(key) + " = \"300MHz\"\n"),
                  "drive.toml:2: a period of 300000000 Hz is no whole number of picoseconds; a "
                  "frequency that divides 1000 GHz, such as 200MHz or 250MHz");
    }
}

TEST_F(ConfigErrorTest, TextThatIsNotTomlIsRefusedAtItsLine) {
    const std::string unquoted = error_of("seed = 1\n[buffer]\nsize = 16MiB\n");
    EXPECT_EQ(unquoted.rfind("drive.toml:3: not TOML: ", 0), 0u) << unquoted;
    EXPECT_NE(unquoted.find("; words and quantities stand in quotes, such as size = \"16MiB\""),
              std::string::npos)
        << unquoted;
    const std::string twice = error_of("seed = 1\n\nseed = 2\n");
    EXPECT_EQ(twice.rfind("drive.toml:3: not TOML: ", 0), 0u) << twice;
    const std::string cut = error_of("[nand]\nways = [1,\n2");
    EXPECT_EQ(cut.rfind("drive.toml:3: not TOML: ", 0), 0u) << cut;
    EXPECT_EQ(cut.find('\n'), std::string::npos);
}

TEST_F(ConfigErrorTest, MissingFilesAreNamed) {
    const std::string right = "; give the path of a readable TOML file";
    const std::string named = ", or a name that \"cavern config drives\" lists";
    EXPECT_EQ(error_of_file(path("none.toml")), "none.toml:1: no such file" + right + named);
    std::filesystem::create_directory(path("folder.toml"));
    EXPECT_EQ(error_of_file(path("folder.toml")), "folder.toml:1: this is a directory" + right);
    EXPECT_EQ(error_of("seed = 1\nextends = \"sub/base.toml\"\n"),
              "drive.toml:2: no such file: \"sub/base.toml\"" + right + named);
    // What is meant may lie beside the file, in another folder, or come with Cavern.
    const auto meant = [&](const std::string& extends, const std::string& file) {
        const std::string error = error_of("extends = \"" + extends + "\"\n");
        EXPECT_NE(error.find("did you mean \"" + file), std::string::npos) << error;
    };
    write("sub/small.toml", "seed = 1\n");
    meant("sub/smal.toml", "sub/small.toml\"");
    meant("drve.toml", "drive.toml\"");
    meant("tlc-nvm", "tlc-nvme\"");
}

TEST_F(ConfigErrorTest, FilesThatExtendEachOtherInACircleAreRefused) {
    const std::string right = "; a file that does not rest on this one";
    EXPECT_EQ(error_of("extends = \"drive.toml\"\n"),
              "drive.toml:1: extends \"drive.toml\" goes in a circle" + right);
    write("sub/b.toml", "seed = 1\nextends = \"../sub/../drive.toml\"\n");
    EXPECT_EQ(error_of("extends = \"sub/b.toml\"\n"),
              "sub/b.toml:2: extends \"../sub/../drive.toml\" goes in a circle" + right);
}

TEST_F(ConfigErrorTest, MistakesOfABaseFileAreReportedThere) {
    write("base.toml", "\n\n[nand]\nways = 0\n");
    EXPECT_EQ(error_of("extends = \"base.toml\"\n[nand]\nways = 4\n"),
              "base.toml:4: nand.ways = 0 is out of range; a whole number from 1 to 16");
}

TEST_F(ConfigErrorTest, UnknownPartsListTheKnownOnes) {
    const std::string error = error_of("[nand]\npart = \"slc-unknown\"\n");
    EXPECT_EQ(error.rfind("drive.toml:2: no file nand/slc-unknown.toml for nand.part = "
                          "\"slc-unknown\"; there are ",
                          0),
              0u)
        << error;
    EXPECT_NE(error.find("slc-4k-reference, slc-k9xxg08uxa, tlc-16k"), std::string::npos) << error;
    const std::string dram = error_of("", {"dram.part=ddr9"});
    EXPECT_EQ(dram.rfind("<command line>:1: no file dram/ddr9.toml for dram.part = \"ddr9\"; "
                         "there are ",
                         0),
              0u)
        << dram;
}

TEST_F(ConfigErrorTest, PartFilesAreCheckedLikeDrives) {
    const std::string drive = "[nand]\npart = \"mine\"\n";
    const std::string head = "source = \"a test\"\n";
    const Case cases[] = {
        {head + "t_raed = \"25us\"\n",
         "nand/mine.toml:2: unknown key \"t_raed\" in a part file; did you mean \"t_read\"?"},
        {head + "channels = 8\n",
         "nand/mine.toml:2: nand.channels in a part file; it belongs in the file of a drive"},
        {head + "[nand]\nplanes = 1\n",
         "nand/mine.toml:2: unknown key \"nand\" in a part file; did you mean \"name\"?"},
        {"[timing]\nt_read = \"25us\"\n",
         "nand/mine.toml:1: these values have no source; "
         "add source = \"data sheet and table, or whose estimate\""},
        {head + "t_read = 25\n",
         "nand/mine.toml:2: nand.t_read has no unit; a time in ps, ns, us, ms or s, such as "
         "\"25us\" or a list of such, from 1ps to 1000s"},
        {head + "planes = 1\n[geometry]\nsource = \"a test\"\nplanes = 2\n",
         "nand/mine.toml:2: planes is given twice; remove one of the two"},
        {head + "bus_rate = \"200MT/s\"\nbus_cycle = \"5ns\"\n",
         "nand/mine.toml:3: nand.bus_rate and nand.bus_cycle are both given; one of them"},
        {head + "planes = 1\n",
         "nand/mine.toml:1: the part does not give nand.blocks_per_plane; a line with its value"},
        {"name = 1\n", "nand/mine.toml:1: name is no text; write a text in quotes"},
    };
    for (const Case& c : cases) {
        write("nand/mine.toml", c.text);
        EXPECT_EQ(error_of(drive), c.error);
    }
}

TEST_F(ConfigErrorTest, OverridesAreCheckedAndCounted) {
    EXPECT_EQ(error_of("", {"seed=1", "buffer.size"}),
              "<command line>:2: --set \"buffer.size\" has no =; "
              "--set KEY=VALUE, such as --set buffer.size=8MiB");
    EXPECT_EQ(error_of("", {"buffer.policy=lru"}),
              "<command line>:1: buffer.policy = \"lru\" is unknown; did you mean \"bplru\"? " +
                  policies());
    EXPECT_EQ(error_of("", {"nand.ways=4 # four"}),
              "<command line>:1: nand.ways is a text; a whole number from 1 to 16");
    EXPECT_EQ(error_of("", {"nand.ways=4\nseed=3"}),
              "<command line>:1: nand.ways is a text; a whole number from 1 to 16");
    EXPECT_EQ(error_of("", {"nand.ways="}),
              "<command line>:1: nand.ways is a text; a whole number from 1 to 16");
    EXPECT_EQ(error_of("", {"extends=base.toml"}),
              "<command line>:1: unknown key \"extends\"; only a file can extend another");
}

} // namespace
} // namespace cavern
