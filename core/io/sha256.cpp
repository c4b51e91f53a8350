#include "core/io/sha256.h"

#include <mbedtls/sha256.h>
#include <mbedtls/version.h>

#include <array>
#include <cstddef>

#include "core/base/check.h"

namespace ts::io {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  const auto* const input = reinterpret_cast<const unsigned char*>(bytes.data());
  constexpr int kNot224 = 0;
  // Only a hardware accelerator can fail, and Debian builds the library without one.
#if MBEDTLS_VERSION_MAJOR >= 3
  const int error = mbedtls_sha256(input, bytes.size(), digest.data(), kNot224);
#else
  const int error = mbedtls_sha256_ret(input, bytes.size(), digest.data(), kNot224);
#endif
  TS_CHECK(error == 0);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string digits;
  for (const unsigned char byte : digest) {
    digits += kHex[byte >> 4U];
    digits += kHex[byte & 0xFU];
  }
  return digits;
}

}  // namespace ts::io
