#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ts::snapshot::testing {

// Writes pickles by hand, opcode by opcode (Python's pickletools.py says what each does).
class PickleBytes {
 public:
  explicit PickleBytes(int protocol = 4) : bytes_{'\x80', static_cast<char>(protocol)} {}

  PickleBytes& op(unsigned opcode) {
    bytes_ += static_cast<char>(opcode);
    return *this;
  }
  PickleBytes& ops(std::string_view opcodes) {
    bytes_ += opcodes;
    return *this;
  }
  PickleBytes& little_endian(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xFF);
    return *this;
  }
  PickleBytes& text(std::string_view text) {
    bytes_ += '\x8c';
    return little_endian(text.size(), 1).ops(text);
  }
  PickleBytes& number(std::uint8_t value) { return op('K').little_endian(value, 1); }
  PickleBytes& long1(std::string_view little_endian_bytes) {
    return op(0x8A).little_endian(little_endian_bytes.size(), 1).ops(little_endian_bytes);
  }
  [[nodiscard]] std::string stop() { return op('.').bytes_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

}  // namespace ts::snapshot::testing
