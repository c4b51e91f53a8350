#include "core/run/recording_format.h"

#include <bit>
#include <cstring>
#include <limits>

namespace ts::run::recording_format {
namespace {

constexpr std::size_t kWord = 8;
constexpr std::size_t kFrame = kMagic.size() + 3 * kWord;

void put_word(std::string& out, std::uint64_t value) {
  for (std::size_t i = 0; i < kWord; ++i) out += static_cast<char>(value >> (8 * i));
}

std::uint64_t word_at(std::string_view file, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t value = 0;
  std::memcpy(&value, file.data() + at, kWord);
  return value;
}

// FNV-1a, 64 bits, over words of eight bytes and then the rest. `sum`: that of the words before.
std::uint64_t checksum(std::string_view bytes, std::uint64_t sum = 0xCBF29CE484222325) {
  constexpr std::uint64_t kPrime = 0x100000001B3;
  std::size_t at = 0;
  for (; at + kWord <= bytes.size(); at += kWord) sum = (sum ^ word_at(bytes, at)) * kPrime;
  for (; at < bytes.size(); ++at) sum = (sum ^ static_cast<unsigned char>(bytes[at])) * kPrime;
  return sum;
}

}  // namespace

std::string before_records(std::string_view header, std::string_view records) {
  std::string whole_text(header);
  whole_text.resize((header.size() + kWord - 1) / kWord * kWord, ' ');
  std::string out(kMagic);
  put_word(out, whole_text.size());
  put_word(out, records.size());
  put_word(out, checksum(records, checksum(whole_text)));
  return out += whole_text;
}

std::string framed(std::string_view header, std::string_view records) {
  std::string out = before_records(header, records);
  out.reserve(out.size() + records.size());
  return out += records;
}

std::optional<std::uint64_t> size_of(std::string_view bytes) {
  if (!kMagic.starts_with(bytes.substr(0, kMagic.size()))) return std::nullopt;
  if (bytes.size() < kFrame) return 0;
  const std::uint64_t header = word_at(bytes, kMagic.size());
  const std::uint64_t records = word_at(bytes, kMagic.size() + kWord);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (header > kMost || records > kMost) return std::nullopt;
  return kFrame + header + records;
}

std::optional<Parts> parts_of(std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < kFrame) return std::nullopt;
  const std::uint64_t header = word_at(file, kMagic.size());
  const std::uint64_t records = word_at(file, kMagic.size() + kWord);
  const std::string_view rest = file.substr(kFrame);
  if (header > rest.size() || records != rest.size() - header) return std::nullopt;
  if (word_at(file, kFrame - kWord) != checksum(rest)) return std::nullopt;
  return Parts{rest.substr(0, header), rest.substr(header)};
}

std::uint64_t Numbers::next() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ >= bytes_.size()) break;
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  good_ = false;
  return 0;
}

std::uint64_t Numbers::next(std::uint64_t most) {
  const std::uint64_t value = next();
  if (value <= most) return value;
  good_ = false;
  return 0;
}

}  // namespace ts::run::recording_format
