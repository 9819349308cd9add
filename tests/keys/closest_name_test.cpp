#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "keys/closest_name.h"

namespace cavern {
namespace {

TEST(NearMissTest, TheNearestWordWinsAndFarOnesAreNotOffered) {
    const std::vector<std::string> words{"channels", "ways", "planes", "buffer.policy",
                                         "channel.policy"};
    EXPECT_EQ(closest_name("chanels", words), "channels");
    EXPECT_EQ(closest_name("wyas", words), "ways");
    EXPECT_EQ(closest_name("policy", words), "buffer.policy");
    EXPECT_EQ(closest_name("channel.polici", words), "channel.policy");
    EXPECT_EQ(closest_name("bufer.size", {"dram.size", "buffer.size"}), "buffer.size");
    EXPECT_EQ(closest_name("drm.size", {"dram.size", "buffer.size"}), "dram.size");
    EXPECT_EQ(closest_name("temperature", words), "");
    EXPECT_EQ(closest_name("", words), "");
    EXPECT_EQ(closest_name("ways", {}), "");
}

} // namespace
} // namespace cavern
