#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The frame of a recording's file, and the encoding of numbers in it. Private to recording_*.cpp.
namespace ts::run::recording_format {

inline constexpr std::string_view kMagic = "tensorscope recording 1\n";
inline constexpr std::uint64_t kSlice = 1;
inline constexpr std::uint64_t kMemory = 2;
inline constexpr std::uint64_t kLaunch = 3;

// The difference as an unsigned number, small for neighbours of either sign.
inline std::uint64_t zigzag(std::int64_t value, std::int64_t before) {
  const std::uint64_t step = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(before);
  return (step << 1) ^ ((step >> 63) != 0 ? ~std::uint64_t{0} : 0);
}
inline std::int64_t unzigzag(std::uint64_t coded, std::int64_t before) {
  const std::uint64_t step = (coded >> 1) ^ ((coded & 1) != 0 ? ~std::uint64_t{0} : 0);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + step);
}

// The magic line, the two sizes and a checksum of both parts (8 bytes each, least byte first), then
// the parts.
std::string framed(std::string_view header, std::string_view records);
// The same without the records, which are to be written behind it. The header, in which spaces at
// the end mean nothing, is filled up to whole words of the checksum.
std::string before_records(std::string_view header, std::string_view records);
struct Parts {
  std::string_view header, records;
};
// The bytes of the frame that begins here; 0: too few are there to know. Nothing if none does.
std::optional<std::uint64_t> size_of(std::string_view bytes);
// Nothing if the file is cut off, damaged, or not a recording.
std::optional<Parts> parts_of(std::string_view file);

// Reads numbers one after the other; after the end all are 0 and good() is false.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t next();
  // At most `most`; a larger number is an error.
  std::uint64_t next(std::uint64_t most);
  [[nodiscard]] bool at_end() const { return at_ >= bytes_.size(); }
  [[nodiscard]] bool good() const { return good_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace ts::run::recording_format
