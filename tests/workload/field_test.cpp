#include "workload/field.h"

#include <string>

#include <gtest/gtest.h>

namespace cavern {
namespace {

TEST(FieldTest, AnyOtherCharacterAnywhereInANumberIsNoticed) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    for (std::size_t length = 1; length <= 24; ++length) {
        const std::string good(length, '7');
        const NumberError expected = length < 20 ? NumberError::kNone : NumberError::kTooLarge;
        ASSERT_EQ(parse_whole(good, kMost).error, expected);
        for (std::size_t place = 0; place < length; ++place) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string text = good;
                text[place] = static_cast<char>(byte);
                const bool digit = byte >= '0' && byte <= '9';
                const bool trimmed_away = length > 1 && (byte == ' ' || byte == '\t') &&
                                          (place == 0 || place == length - 1);
                if (!digit && !trimmed_away) {
                    ASSERT_NE(parse_whole(text, kMost).error, NumberError::kNone) << text;
                    if (length > 12 || byte == '.' || byte == ' ' || byte == '\t') {
                        continue;
                    }
                    for (const std::string& decimal : {text + ".5", "5." + text + "5"}) {
                        ASSERT_NE(parse_decimal(decimal, 12, kMost, ExcessDigits::kDrop).error,
                                  NumberError::kNone)
                            << decimal;
                    }
                } else if (digit && length < 20) {
                    ASSERT_EQ(parse_whole(text, kMost).value, std::stoull(text));
                }
            }
        }
    }
}

} // namespace
} // namespace cavern
