#include "keys/text_width.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "config/config_show.h"

namespace cavern {
namespace {

TEST(TextWidthTest, LinesAreBrokenAtTheWidth) {
    EXPECT_EQ(indented("one two three", 2, 9), "  one two\n  three\n");
    EXPECT_EQ(indented("one two three", 2, 10), "  one two\n  three\n");
    EXPECT_EQ(indented("one two three", 2, 15), "  one two three\n");
    EXPECT_EQ(indented("longer-than-that a", 1, 5), " longer-than-that\n a\n");
    EXPECT_EQ(indented("µµ µµ", 0, 5), "µµ µµ\n");
    EXPECT_EQ(indented("a\nb", 1, 80), " a\n b\n");
    EXPECT_EQ(indented("", 3, 80), "");
}

TEST(TextWidthTest, KeysAreListedInTheWidthOfATerminal) {
    for (const std::size_t width : {80u, 120u, 200u}) {
        const std::string text = list_config_keys("", width);
        std::size_t longest = 0;
        for (std::size_t at = 0, end = text.find('\n'); end != std::string::npos;
             at = end + 1, end = text.find('\n', at)) {
            longest = std::max(longest, end - at);
        }
        EXPECT_LE(longest, std::max<std::size_t>(width, 110)) << width; // a default may be long
        EXPECT_NE(text.find("\nbuffer.policy "), std::string::npos);
    }
    EXPECT_EQ(list_config_keys("buffer.size").find("\n\n"), std::string::npos);
}

} // namespace
} // namespace cavern
