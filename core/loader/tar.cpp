// POSIX ustar (IEEE 1003.1, pax interchange format) and GNU tar's long names. Own, because
// libarchive, which the system has as well, cannot be linked into a wheel without ten other
// libraries.
#include "core/loader/tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::loader {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kLongestName = 4096;
using Header = std::array<char, kBlock>;

struct Place {
  std::size_t at;
  std::size_t bytes;
};
constexpr Place kName{0, 100}, kSize{124, 12}, kSum{148, 8}, kMagic{257, 5}, kPrefix{345, 155};
constexpr std::size_t kType = 156;

// Up to the first zero.
std::string_view text_at(const Header& header, Place place) {
  const std::string_view all(header.data() + place.at, place.bytes);
  return all.substr(0, all.find('\0'));
}

std::optional<std::uint64_t> octal_at(const Header& header, Place place) {
  std::string_view digits = text_at(header, place);
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, problem] = std::from_chars(digits.data(), end, number, 8);
  if (digits.empty() || problem != std::errc() || rest != end) return std::nullopt;
  return number;
}

// The sum of all bytes, with blanks in place of the sum itself.
std::uint64_t sum_of(const Header& header) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const bool own = i >= kSum.at && i < kSum.at + kSum.bytes;
    sum += own ? std::uint64_t{' '} : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

tl::unexpected<base::Error> broken(const char* key, std::uint64_t offset) {
  return text::fail(key, {{"offset", text::grouped(offset)}});
}

// "27 path=images/0001.jpg\n" lines; the path if there is one.
std::string pax_path(std::string_view records) {
  std::string path;
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [rest, problem] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(rest - records.data());
    if (problem != std::errc() || length <= digits + 1 || length > records.size()) return path;
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    if (record.starts_with("path=")) path = record.substr(5);
    records.remove_prefix(length);
  }
  return path;
}

std::string name_of(const Header& header) {
  std::string name(text_at(header, kPrefix));
  if (!name.empty()) name += '/';
  return name.append(text_at(header, kName));
}

struct Reader {
  const ReadAt& read;
  std::uint64_t size;
  std::string long_name = {};  // of the next member; empty: it has it itself
  std::vector<TarMember> members = {};

  // Takes what begins at `offset`; returns where the next one begins.
  base::Result<std::uint64_t> take(const Header& header, std::uint64_t offset) {
    const auto sum = octal_at(header, kSum);
    if (text_at(header, kMagic) != "ustar" && !text_at(header, kMagic).starts_with("ustar"))
      return broken("loader_error.tar_kind", offset);
    if (!sum || *sum != sum_of(header)) return broken("loader_error.tar_sum", offset);
    const auto bytes = octal_at(header, kSize);
    const std::uint64_t content = offset + kBlock;
    if (!bytes || *bytes > size - content) return broken("loader_error.tar_cut", offset);
    const char type = header[kType];
    if (type == 'L' || type == 'x') {
      if (*bytes > kLongestName) return broken("loader_error.tar_name", offset);
      std::string words(*bytes, '\0');
      words.resize(read(content, words.data(), words.size()));
      long_name = type == 'x' ? pax_path(words) : words.substr(0, words.find('\0'));
    } else if (type == '0' || type == '\0') {
      if (members.size() == kMostMembers) return broken("loader_error.tar_many", offset);
      std::string name = long_name.empty() ? name_of(header) : std::exchange(long_name, {});
      members.push_back({std::move(name), content, *bytes});
    } else if (type != 'g') {
      long_name.clear();
    }
    return content + (*bytes + kBlock - 1) / kBlock * kBlock;
  }
};

void write_octal(Header& header, Place place, std::uint64_t number) {
  for (std::size_t i = place.bytes - 1; i-- > 0; number /= 8)
    header[place.at + i] = static_cast<char>('0' + number % 8);
}

}  // namespace

base::Result<std::vector<TarMember>> tar_members(const ReadAt& read, std::uint64_t size) {
  Reader reader{read, size};
  for (std::uint64_t offset = 0; offset < size;) {
    Header header{};
    if (size - offset < kBlock || read(offset, header.data(), kBlock) != kBlock)
      return broken("loader_error.tar_cut", offset);
    // A block of zeros ends the archive.
    if (std::ranges::all_of(header, [](char byte) { return byte == '\0'; })) break;
    TS_TRY(offset, reader.take(header, offset));
  }
  return std::move(reader.members);
}

std::string tar_member(std::string_view name, std::string_view content) {
  Header header{};
  name.copy(header.data(), kName.bytes);
  write_octal(header, {100, 8}, 0644);
  write_octal(header, {108, 8}, 0);
  write_octal(header, {116, 8}, 0);
  write_octal(header, kSize, content.size());
  write_octal(header, {136, 12}, 0);
  header[kType] = '0';
  std::string_view("ustar").copy(header.data() + kMagic.at, kMagic.bytes);
  std::string_view("00").copy(header.data() + 263, 2);
  write_octal(header, {kSum.at, kSum.bytes - 1}, sum_of(header));
  header[kSum.at + kSum.bytes - 1] = ' ';
  std::string member(header.data(), kBlock);
  member += content;
  member.resize((member.size() + kBlock - 1) / kBlock * kBlock, '\0');
  return member;
}

std::string tar_end() {
  return std::string(2 * kBlock, '\0');
}

}  // namespace ts::loader
