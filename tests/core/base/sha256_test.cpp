#include "core/base/sha256.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace cavern::testing {
namespace {

// Examples of NIST for FIPS 180-4 (SHA256.pdf), and its test of a million letters.
TEST(Sha256Test, DigestsAreThoseOfTheStandard) {
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesGiveTheDigestOfTheWhole) {
    const std::string text(300, 'x');
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        Sha256 hash;
        hash.add(text.substr(0, cut));
        hash.add(text.substr(cut));
        ASSERT_EQ(hash.digest(), sha256(text)) << cut;
    }
    EXPECT_NE(sha256(text), sha256(std::string(299, 'x')));
}

TEST(Sha256Test, AFileHasTheDigestOfItsBytes) {
    const std::string path = ::testing::TempDir() + "sha256_test.bin";
    const std::string bytes(700'000, '\x80');
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_EQ(sha256_of_file(path), sha256(bytes));
    std::filesystem::remove(path);
    EXPECT_EQ(sha256_of_file(path), "");
}

} // namespace
} // namespace cavern::testing
