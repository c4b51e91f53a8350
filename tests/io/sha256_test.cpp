#include "core/io/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace ts::io {
namespace {

// The examples of FIPS 180-4's authors (csrc.nist.gov, SHA256.pdf), and every length around a block
// beside what hashlib of Python gives.
TEST(Sha256, isWhatTheStandardSays) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::string all;
  for (std::size_t length = 0; length < 200; ++length) all += sha256(std::string(length, '\xB7'));
  EXPECT_EQ(sha256(all), "e062155729aa0e293be3443f287972307a2774ef127032c998a937d2d326022a");
}

}  // namespace
}  // namespace ts::io
