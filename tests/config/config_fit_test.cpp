#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

/// Values that are right alone, and wrong together.
using ConfigFitTest = ConfigFixture;

struct Case {
    std::string text;
    std::string error;
};

TEST_F(ConfigFitTest, ExecutedFirmwareDecidesOnOneProcessor) {
    EXPECT_EQ(error_of("[cpu]\nmodel = \"iss\"\n"), "no error");
    EXPECT_EQ(error_of("[cpu]\nmodel = \"rtl\"\ndecides = \"lockstep\"\n"), "no error");
    const Case cases[] = {
        {"[cpu]\nmodel = \"iss\"\ncores = 2\n",
         "drive.toml:3: cpu.cores = 2 where firmware is executed; cpu.cores = 1, or cpu.model = "
         "cost"},
        {"[cpu]\nmodel = \"lockstep\"\ndecides = \"core\"\n",
         "drive.toml:3: cpu.decides = core where firmware is executed; cpu.decides = firmware or "
         "lockstep, or cpu.model = none"},
        {"[cpu]\nmodel = \"is\"\n", "drive.toml:2: cpu.model = \"is\" is unknown; did you mean "
                                    "\"iss\"? available: none, cost, iss, rtl, lockstep"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
}

TEST_F(ConfigFitTest, GeometryMustBePossible) {
    const Case cases[] = {
        {"[nand]\nchannels = 0\n",
         "drive.toml:2: nand.channels = 0 is out of range; a whole number from 1 to 64"},
        {"[nand]\nchannels = 65\n",
         "drive.toml:2: nand.channels = 65 is out of range; a whole number from 1 to 64"},
        {"[nand]\nways = 8\ndies = 4\n", "drive.toml:3: 8 ways of 4 dies are 32 dies on a channel; "
                                         "at most 16: one request line of the arbiter each"},
        {"[nand]\npage_size = \"3KiB\"\n", "drive.toml:2: nand.page_size = 3072 bytes is no power "
                                           "of two; 512B, 1KiB, 2KiB, ... 64KiB"},
        {"[nand]\npage_size = \"256B\"\n",
         "drive.toml:2: nand.page_size = \"256B\" is out of range; a size in B, KiB, MiB, GiB, TiB "
         "(or KB, MB, GB, TB), such as \"16MiB\", from 512B to 64KiB"},
        {"[nand]\npage_size = \"128KiB\"\n",
         "drive.toml:2: nand.page_size = \"128KiB\" is out of range; a size in B, KiB, MiB, GiB, "
         "TiB (or KB, MB, GB, TB), such as \"16MiB\", from 512B to 64KiB"},
        {"[nand]\nspare_size = \"4KiB\"\n",
         "drive.toml:2: a spare area of 4096 bytes on a page of 2048; "
         "nand.spare_size at most nand.page_size"},
        {"[nand]\nblocks_per_plane = 1000000000\nchannels = 64\n",
         "drive.toml:3: the drive has more than 4294967294 blocks; "
         "fewer channels, ways, dies, planes or blocks"},
        {"[nand]\nt_read = [\"25us\", \"26us\", \"27us\"]\n",
         "drive.toml:2: 3 page types and 64 pages in a block; "
         "nand.pages_per_block a multiple of the entries of nand.t_read"},
        {"[nand]\nt_program = [\"25us\", \"26us\", \"27us\"]\n",
         "drive.toml:2: 3 page types and 64 pages in a block; "
         "nand.pages_per_block a multiple of the entries of nand.t_program"},
        {"[nand]\nbus_cycle = \"0ns\"\n",
         "drive.toml:2: nand.bus_cycle = \"0ns\" is out of range; a time in ps, ns, us, ms or s, "
         "such as \"25us\", from 1ps to 1ms"},
        {"[channel]\narbiter_clock = \"300MHz\"\n",
         "drive.toml:2: a period of 300000000 Hz is no whole number of picoseconds; "
         "a frequency that divides 1000 GHz, such as 200MHz or 250MHz"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
    // The limits themselves are possible.
    EXPECT_EQ(error_of("[nand]\nways = 8\ndies = 2\nchannels = 64\n"), "no error");
    EXPECT_EQ(error_of("[nand]\nspare_size = \"2KiB\"\npage_size = \"64KiB\"\n"), "no error");
}

TEST_F(ConfigFitTest, AMappingUnitIsAPartOfAPageOrAll) {
    const Case cases[] = {
        {"[ftl]\nunit = \"4KiB\"\n",
         "drive.toml:2: ftl.unit = 4KiB on pages of 2KiB; a power of two from 512B to 2KiB"},
        {"[ftl]\nunit = \"1536B\"\n",
         "drive.toml:2: ftl.unit = 1536B on pages of 2KiB; a power of two from 512B to 2KiB"},
        {"[ftl]\nunit = \"512B\"\n[nand]\npage_size = \"32KiB\"\n",
         "drive.toml:4: ftl.unit = 512B on pages of 32KiB; a power of two from 1KiB to 32KiB"},
        {"[ftl]\nunit = \"sector\"\n",
         "drive.toml:2: ftl.unit = \"sector\" cannot be read; page, or a size in B, KiB, MiB, GiB, "
         "TiB (or KB, MB, GB, TB), such as \"16MiB\", from 512B to 32KiB"},
        {"[ftl]\nunit = \"1KiB\"\nscheme = \"bast\"\n[alloc]\nscheme = \"stripe-block\"\n",
         "drive.toml:3: ftl.unit = 1KiB on pages of 2KiB with ftl.scheme = bast; "
         "ftl.scheme = page or slc-cache, or ftl.unit = page or 2KiB"},
        {"[host]\nfdp.handles = 2\n",
         "drive.toml:2: host.fdp.handles with host.interface = sata, which has no placement "
         "identifiers; host.interface = nvme, or host.fdp.handles = 0"},
        // The unit is looked at before it is known to fit into a page.
        {"[host]\ninterface = \"nvme\"\nfdp.handles = 2\n[nand]\npage_size = \"4KiB\"\n[ftl]\n"
         "unit = \"16KiB\"\n",
         "drive.toml:7: ftl.unit = 16KiB on pages of 4KiB; a power of two from 512B to 4KiB"},
        {"[host]\ninterface = \"nvme\"\nfdp.handles = 2\n[ftl]\nhot_cold = true\n",
         "drive.toml:5: host.fdp.handles with ftl.hot_cold = true; one of them"},
        {"[host]\ninterface = \"nvme\"\nfdp.handles = 2\n[nand]\nbad_blocks = 0.01\n",
         "drive.toml:5: host.fdp.handles with bad blocks or failures; one of them"},
        {"[host]\ninterface = \"nvme\"\nfdp.handles = 2\n[cpu]\ndecides = \"firmware\"\n",
         "drive.toml:5: host.fdp.handles where firmware decides or runs, which has no placement "
         "identifiers; cpu.decides = core, cpu.model = none or cost, or host.fdp.handles = 0"},
        {"[ftl]\nunit = \"1KiB\"\nhot_cold = true\n",
         "drive.toml:3: ftl.hot_cold with a ftl.unit smaller than a page; one of them"},
        {"[ftl]\nunit = \"1KiB\"\ngc_shared_frontier = true\n",
         "drive.toml:3: ftl.gc_shared_frontier with a ftl.unit smaller than a page; one of them"},
        {"[buffer]\nsize = \"1KiB\"\npolicy = \"none\"\n[ftl]\nunit = \"1KiB\"\n",
         "drive.toml:3: buffer.size = 1KiB and buffer.policy = none on NAND pages of 2KiB; "
         "a NAND page at least: its mapping units wait there for each other"},
        {"[ftl]\nunit = \"1KiB\"\n[nand]\nbad_blocks = 0.01\n",
         "drive.toml:4: bad blocks or failures with a ftl.unit smaller than a page; "
         "ftl.unit of a page"},
        {"[ftl]\nunit = \"1KiB\"\n[buffer]\nsize = \"3584B\"\n",
         "drive.toml:4: buffer.size = 3584B is no whole number of pages; a multiple of 1KiB"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
    for (const char* unit : {"page", "512B", "1KiB", "2KiB"}) {
        EXPECT_EQ(error_of("[ftl]\nunit = \"" + std::string(unit) + "\"\n"), "no error");
    }
    EXPECT_EQ(error_of("[ftl]\nunit = \"2KiB\"\nscheme = \"bast\"\n[alloc]\nscheme = "
                       "\"stripe-block\"\n"),
              "no error");
}

TEST_F(ConfigFitTest, TheLargestDriveHasTwoToThe36Pages) {
    // 64 channels of 16 dies: 2^10 dies of 2^26 pages.
    const std::string dies = "[nand]\nchannels = 64\nways = 16\nblocks_per_plane = 32768\n";
    EXPECT_EQ(error_of(dies + "pages_per_block = 2048\n"), "no error");
    EXPECT_EQ(error_of(dies + "pages_per_block = 2049\n"),
              "drive.toml:5: the drive has more than 68719476736 pages; "
              "fewer channels, ways, dies, planes, blocks or pages");
    // A die that is a drive of 2^32 - 2 pages almost, and one of the larger drives.
    const std::string one_die = "[nand]\nchannels = 1\nways = 1\n";
    EXPECT_EQ(error_of(one_die + "pages_per_block = 65534\nblocks_per_plane = 65537\n"),
              "no error");
    EXPECT_EQ(error_of(one_die + "pages_per_block = 65535\nblocks_per_plane = 65537\n"),
              "drive.toml:5: a die has more than 268435456 pages in a drive of more than "
              "4294967294; more dies, or smaller ones");
    // The maps of papers stay at 32 bits, and say so.
    const std::string block_map = "[ftl]\nscheme = \"bast\"\n[alloc]\nscheme = \"stripe-block\"\n";
    EXPECT_EQ(error_of(dies + "pages_per_block = 128\n" + block_map),
              "drive.toml:7: the drive has more than 2^32 - 2 pages, and the maps of this layer "
              "hold page numbers of 32 bits; ftl.scheme = \"page\", or fewer or larger pages");
}

TEST_F(ConfigFitTest, BufferMustFitPagesAndMemory) {
    const Case cases[] = {
        {"[buffer]\nsize = \"1KiB\"\n", "drive.toml:2: buffer.size = 1KiB is no whole number of "
                                        "pages; a multiple of 2KiB"},
        {"[buffer]\nsize = \"128MiB\"\n",
         "drive.toml:2: a buffer of 128MiB in an SDRAM of 64MiB; buffer.size at least 33 "
         "NAND pages below dram.size: one for pages read, 32 for copies"},
        {"[buffer]\nsize = \"32MiB\"\n[dram]\nsize = \"16MiB\"\n",
         "drive.toml:4: a buffer of 32MiB in an SDRAM of 16MiB; buffer.size at least 33 "
         "NAND pages below dram.size: one for pages read, 32 for copies"},
        {"[buffer]\nsize = \"64MiB\"\n",
         "drive.toml:2: a buffer of 64MiB in an SDRAM of 64MiB; buffer.size at least 33 "
         "NAND pages below dram.size: one for pages read, 32 for copies"},
        {"[buffer]\nsize = \"32MiB\"\n[dram]\ncopy_pages = 1024\n",
         "drive.toml:4: a buffer of 32MiB in an SDRAM of 64MiB; buffer.size at least "
         "32769 NAND pages below dram.size: one for pages read, 32768 for copies"},
        {"[buffer]\nsize = \"1KiB\"\npolicy = \"none\"\n",
         "drive.toml:2: buffer.size = 1KiB is no whole number of pages; a multiple of 2KiB"},
        {"[buffer]\neviction = [\"cave\", \"single\"]\n",
         "drive.toml:2: buffer.eviction names two rates of the same moment, a full buffer; "
         "one of them"},
        {"[buffer]\neviction = \"linear-threshold\"\n[buffer.linear-threshold]\nhigh = 0.7\n",
         "drive.toml:4: buffer.linear-threshold.low = 0.8 and high = 0.7; low below high"},
        {"[buffer.idle]\nafter = \"0ms\"\n", "drive.toml:2: buffer.idle.after = \"0ms\" is out of "
                                             "range; a time in ps, ns, us, ms or s, "
                                             "such as \"25us\", from 1ps to 1000s"},
        {"[alloc.adaptive]\nepoch = 0\n", "drive.toml:2: alloc.adaptive.epoch = 0 is out of range; "
                                          "a whole number from 1 to 1000000000"},
        {"[buffer]\npolicy = \"cflru\"\n",
         "drive.toml:2: buffer.policy = cflru in a buffer without clean pages; "
         "buffer.cache_reads = true"},
        {"[buffer]\nflush_keep = true\n[alloc]\nscheme = \"stripe-page\"\n[ftl]\nscheme = "
         "\"dftl\"\n"
         "partition = \"adaptive\"\n",
         "drive.toml:7: ftl.partition = adaptive with a buffer that keeps pages a FLUSH wrote; "
         "buffer.flush_keep = false"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
    EXPECT_EQ(error_of("[buffer]\nsize = \"65470KiB\"\n"), "no error");
    EXPECT_EQ(error_of("[buffer]\neviction = [\"idle\", \"linear-threshold\", \"cave\"]\n"),
              "no error");
    EXPECT_EQ(error_of("[buffer]\nsize = \"2KiB\"\n"), "no error");
}

TEST_F(ConfigFitTest, SataHasThreeGenerationsAndThirtyTwoTags) {
    EXPECT_EQ(error_of("[host]\ngeneration = 4\n"),
              "drive.toml:2: host.generation = 4 with SATA; SATA has generations 1, 2 and 3");
    EXPECT_EQ(error_of("[host]\ngeneration = 0\n"),
              "drive.toml:2: host.generation = 0 is out of range; a whole number from 1 to 5");
    EXPECT_EQ(error_of("[host]\nqueue_depth = 33\n"),
              "drive.toml:2: host.queue_depth = 33 with SATA; NCQ has at most 32 tags");
    EXPECT_EQ(error_of("[host]\nqueue_depth = 0\n"),
              "drive.toml:2: host.queue_depth = 0 is out of range; a whole number from 1 to 65536");
    EXPECT_EQ(error_of("[host]\nqueue_depth = 33\ninterface = \"direct\"\n"), "no error");
    // The conflict is reported where it was made: by the command line, not in the file.
    EXPECT_EQ(
        error_of("[host]\nqueue_depth = 33\ninterface = \"direct\"\n", {"host.interface=sata"}),
        "<command line>:1: host.queue_depth = 33 with SATA; NCQ has at most 32 tags");
}

TEST_F(ConfigFitTest, NvmeHasPowersOfTwoAndSoManyCommands) {
    const std::string nvme = "[host]\ninterface = \"nvme\"\n";
    EXPECT_EQ(error_of(nvme + "generation = 5\nlanes = 8\nqueue_depth = 1024\nqueues = 64\n"),
              "no error");
    EXPECT_EQ(error_of(nvme + "lanes = 3\n"), "drive.toml:3: host.lanes = 3; 1, 2, 4, 8 or 16");
    EXPECT_EQ(error_of(nvme + "queue_depth = 65536\n"),
              "drive.toml:3: host.queue_depth = 65536 with NVMe; at most 65535: a queue has 65536 "
              "entries");
    EXPECT_EQ(error_of(nvme + "queue_depth = 1024\nqueues = 1024\n"),
              "drive.toml:4: 1024 queues of 1024 commands; at most 1000000 commands in all queues "
              "together");
    EXPECT_EQ(error_of(nvme + "nvme.max_payload = \"384B\"\n"),
              "drive.toml:3: host.nvme.max_payload = 384 bytes; a power of two");
}

TEST_F(ConfigFitTest, TheFtlMustFitTheDrive) {
    const Case cases[] = {
        {"[ftl]\noverprovision = 0.0\n",
         "drive.toml:2: ftl.overprovision = 0 is out of range; a number above 0 and below 1"},
        {"[ftl]\noverprovision = 1\n",
         "drive.toml:2: ftl.overprovision = 1 is out of range; a number above 0 and below 1"},
        {"[ftl]\noverprovision = nan\n",
         "drive.toml:2: ftl.overprovision = nan is out of range; a number above 0 and below 1"},
        {"[ftl]\ngc_low = 0\n",
         "drive.toml:2: ftl.gc_low = 0 is out of range; a whole number from 1 to 1000000000"},
        {"[ftl]\ngc_low = 2\n",
         "drive.toml:2: ftl.gc_low = 2 and ftl.gc_high = 2; gc_low below gc_high"},
        {"[ftl]\ngc_low = 3\ngc_high = 2\n",
         "drive.toml:3: ftl.gc_low = 3 and ftl.gc_high = 2; gc_low below gc_high"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
    EXPECT_EQ(error_of("[ftl]\ngc_low = 2\ngc_high = 3\n"), "no error");
    const std::string tight = error_of("[nand]\nblocks_per_plane = 16\n\n[ftl]\ngc_high = 8\n");
    EXPECT_EQ(tight.rfind("drive.toml:5: ftl.overprovision leaves ", 0), 0u) << tight;
    EXPECT_NE(tight.find("; 10 are needed"), std::string::npos) << tight;
    const std::string few = error_of("[nand]\nblocks_per_plane = 4\n");
    EXPECT_EQ(few.rfind("drive.toml:2: 4 blocks per plane are too few", 0), 0u) << few;
}

TEST_F(ConfigFitTest, LogBlocksMustFitTheDriveAndThePlacementTheFtl) {
    const Case cases[] = {
        {"[alloc]\nscheme = \"stripe-block\"\n[ftl]\nscheme = \"bast\"\nlog_blocks = 31\n",
         "drive.toml:5: ftl.log_blocks = 31 leaves no log block for each of 32 planes; "
         "at least 32"},
        {"[alloc]\nscheme = \"stripe-page\"\n[ftl]\nscheme = \"mcsplit\"\n[ftl.mcsplit]\n"
         "stripe = 3\n",
         "drive.toml:6: ftl.mcsplit.stripe = 3 does not divide the 8 channels; a divisor of them, "
         "or 0 for all"},
        {"[alloc]\nscheme = \"stripe-page\"\n[ftl]\nscheme = \"bast\"\n",
         "drive.toml:4: alloc.scheme = stripe-page with ftl.scheme = bast, which maps whole "
         "blocks; "
         "alloc.scheme = block-round-robin or stripe-block"},
        {"[alloc]\nscheme = \"block-round-robin\"\n[ftl]\nscheme = \"mcsplit\"\n",
         "drive.toml:4: alloc.scheme = block-round-robin with ftl.scheme = mcsplit, which fixes "
         "the "
         "place of a page by its address; alloc.scheme = stripe-page"},
        {"[alloc]\nscheme = \"block-round-robin\"\nblock-round-robin.mode = \"move\"\n"
         "[ftl]\nscheme = \"fast\"\n",
         "drive.toml:5: alloc.block-round-robin.mode = move with ftl.scheme = fast, which moves no "
         "block for a new die; sticky"},
        {"[alloc]\nscheme = \"block-round-robin\"\nblock-round-robin.mode = \"gather\"\n"
         "[ftl]\nscheme = \"last\"\n",
         "drive.toml:5: alloc.block-round-robin.mode = gather with ftl.scheme = last, which moves "
         "no block for a new die; sticky"},
        {"[alloc]\nscheme = \"block-round-robin\"\nblock-round-robin.mode = \"free\"\n"
         "[ftl]\nscheme = \"bast\"\n",
         "drive.toml:5: alloc.block-round-robin.mode = free with ftl.scheme = bast: a block cannot "
         "change its die for nothing; move, gather or sticky"},
        {"[alloc]\nscheme = \"stripe-block\"\n[ftl]\nscheme = \"fast\"\nlog_blocks = 1\n",
         "drive.toml:5: ftl.log_blocks = 1 leaves no random log block beside the sequential one; "
         "at "
         "least 2"},
        {"[alloc]\nscheme = \"stripe-block\"\n[ftl]\nscheme = \"fast\"\n"
         "fast.random_logs = 20000\n",
         "drive.toml:5: ftl.overprovision leaves 18350 spare blocks of 262144; 20002 are needed "
         "(random log blocks + 2), a share of at least 0.0764"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of(c.text), c.error);
    }
    EXPECT_EQ(error_of("[alloc]\nscheme = \"stripe-block\"\n[ftl]\nscheme = \"bast\"\n"),
              "no error");
    EXPECT_EQ(error_of("[alloc]\nscheme = \"stripe-page\"\n[ftl]\nscheme = \"mcsplit\"\n"),
              "no error");
}

TEST_F(ConfigFitTest, WhoChoosesTheDieOfEachPageNeedsALayerThatMapsPages) {
    for (const AllocatorRow& row : allocator_table()) {
        const std::string error =
            error_of("[ftl]\nscheme = \"bast\"\n[alloc]\nscheme = \"" + row.name + "\"\n" +
                     "block-round-robin.mode = \"sticky\"\n");
        EXPECT_EQ(error, row.keeps_blocks ? "no error"
                                          : "drive.toml:4: alloc.scheme = " + row.name +
                                                " with ftl.scheme = bast, which maps whole blocks; "
                                                "alloc.scheme = block-round-robin or stripe-block");
    }
}

TEST_F(ConfigFitTest, SdramTimingMustBeConsistent) {
    const Case cases[] = {
        {"bus_bits = 24", "dram.bus_bits: 24 is not a power of two; a power of two"},
        {"burst_length = 6", "dram.burst_length: 6 is not a power of two; a power of two"},
        {"banks = 6", "dram.banks: 6 is not a power of two; a power of two"},
        {"banks = 64", "dram.banks: there are more than 32; 1, 2, 4, 8, 16 or 32"},
        {"row_bytes = \"3KiB\"", "dram.row_bytes: 3072 is not a power of two; a power of two"},
        {"row_bytes = \"16B\"", "dram.row_bytes: a row is shorter than one burst; at least 32B"},
        {"t_rc = 38", "dram.t_rc: it is shorter than t_ras + t_rp; at least 39"},
        {"t_ccd = 1", "dram.t_ccd: column commands leave no clock for a row command; at least 2"},
        {"t_faw = 4", "dram.t_faw: it is shorter than t_rrd; t_faw >= t_rrd"},
        {"cwl = 18", "dram.cwl: a write would overtake a read on the data bus; "
                     "less than cl + burst_length / 2 + 2"},
        {"bank_groups = 3", "dram.bank_groups: 3 groups of 8 banks in all; "
                            "a power of two, at most dram.banks"},
        {"t_ccd_l = 8",
         "dram.t_ccd_l: there are no bank groups; 0, or dram.bank_groups at least 2"},
        {"t_rp_ab = 10", "dram.t_rp_ab: it is shorter than t_rp; 0, or at least 11"},
        {"ranks = 8", "dram.ranks: 8 ranks have more than 32 banks together; at most 4"},
        {"channels = 3", "dram.channels: 3 is not a power of two; 1, 2, 4, 8 or 16"},
        {"stripe = \"16B\"",
         "dram.stripe = 16B with bursts of 32B; a power of two, at least a burst"},
        {"stripe = \"48B\"",
         "dram.stripe = 48B with bursts of 32B; a power of two, at least a burst"},
        {"size = \"33KiB\"", "dram.size = 33KiB is no whole number of rows in 8 banks; "
                             "a multiple of 32KiB"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of("[dram]\n" + c.text + "\n"), "drive.toml:2: " + c.error);
    }
}

TEST_F(ConfigFitTest, TheMapMustFitBesideTheBuffer) {
    const std::string error = error_of("[dram]\nmap_traffic = true\n");
    EXPECT_EQ(error, "drive.toml:2: a map of 64MiB beside a buffer of 16MiB in an SDRAM of 64MiB; "
                     "dram.size at least 81986KiB");
    EXPECT_EQ(error_of("[dram]\nmap_traffic = true\nsize = \"96MiB\"\n"), "no error");
    EXPECT_EQ(
        error_of("[ftl]\nscheme = \"dftl\"\n[dram]\nmap_traffic = true\n"),
        "drive.toml:4: dram.map_traffic with ftl.scheme = dftl, whose map does not lie in the "
        "SDRAM whole; ftl.scheme = page, or dram.map_traffic = false");
}

TEST_F(ConfigFitTest, BankGroupsMustFillTheDataBus) {
    const Case cases[] = {
        {"t_rrd_l = 4", "dram.t_rrd_l: it is shorter than t_rrd; 0, or at least 5"},
        {"t_ccd_l = 9", "dram.t_ccd_l: two groups by turns cannot fill the data bus; at most 8"},
        {"t_wtr_l = 5", "dram.t_wtr_l: it is shorter than t_wtr; 0, or at least 6"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(error_of("[dram]\nbank_groups = 4\n" + c.text + "\n"),
                  "drive.toml:3: " + c.error);
    }
}

} // namespace
} // namespace cavern
