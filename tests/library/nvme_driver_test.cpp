// A bare-metal NVMe driver on the project's processor, against a whole drive behind its registers.

#include <gtest/gtest.h>
#include <memory>

#include "cavern/nvme.h"
#include "tests/library/cpu_platform.h"
#include "tests/library/small_drive.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

class NvmeDriverTest : public SystemcTest {
  protected:
    void build(const std::vector<std::string>& more = {}) {
        platform_ = std::make_unique<CpuPlatform>("platform", CAVERN_FIRMWARE_DIR "/nvme.elf");
        ssd_ = std::make_unique<NvmeSsd>("ssd", small_config(), small_settings(more),
                                         [this](unsigned vector) { platform_->interrupt(vector); });
        platform_->device.bind(ssd_->registers);
        ssd_->dma.bind(platform_->memory);
    }
    std::unique_ptr<CpuPlatform> platform_;
    std::unique_ptr<NvmeSsd> ssd_;
};

TEST_F(NvmeDriverTest, WritesReadBackTheSameBytes) {
    build();
    run();
    EXPECT_EQ(platform_->exit_status(), 0) << platform_->log();
    EXPECT_NE(platform_->log().find("Cavern SSD"), std::string::npos) << platform_->log();
    EXPECT_GT(platform_->interrupts(), 100u);
    EXPECT_GT(platform_->dma_bytes(), 3u * 256 * 512);
    EXPECT_GT(ssd_->check(), 0u);
}

TEST_F(NvmeDriverTest, WritesThroughWithoutABuffer) {
    build({"buffer.policy=none"});
    run();
    EXPECT_EQ(platform_->exit_status(), 0) << platform_->log();
    EXPECT_GT(ssd_->check(), 0u);
}

// The comparison of the firmware would notice one wrong bit.
TEST_F(NvmeDriverTest, OneWrongBitIsFound) {
    build();
    platform_->spoil(5); // two of identification come first
    run();
    EXPECT_EQ(platform_->exit_status(), 1) << platform_->log();
}

} // namespace
} // namespace cavern::testing
