#include "core/io/corpus.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "core/base/check.h"

namespace ts::io {

namespace {

constexpr std::size_t kLookedAt = std::size_t{1} << 20;
constexpr std::size_t kMostCharacters = 65536;
constexpr const char* kNotUtf8 = "\xef\xbf\xbd";

// Bytes of the character at the beginning; 0: no UTF-8 (overlong forms and surrogates neither).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t count = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || count > text.size()) return 0;
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool beyond = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
  return overlong || beyond ? 0 : count;
}

// The first byte that no text has, from there on; npos: all is well. A character may be cut off
// where only the beginning of a file is looked at.
std::size_t first_fault(std::string_view text, bool cut) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\0') return at;
    const std::size_t count = character_bytes(text.substr(at));
    if (count == 0) return cut && text.size() - at < 4 ? std::string_view::npos : at;
    at += count;
  }
  return std::string_view::npos;
}

base::Result<std::string_view> map_file(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT) return base::fail(fmt::format("There is no corpus {}", path.string()));
    return base::fail(
        fmt::format("The corpus {} cannot be read: {}", path.string(), std::strerror(errno)));
  }
  struct stat about {};
  const bool known = fstat(file, &about) == 0;
  void* mapped = MAP_FAILED;
  if (known && S_ISREG(about.st_mode) && about.st_size > 0) {
    mapped =
        mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  }
  ::close(file);
  if (known && !S_ISREG(about.st_mode)) {
    return base::fail(fmt::format("The corpus {} is no file", path.string()));
  }
  if (known && about.st_size == 0) {
    return base::fail(fmt::format("The corpus {} is empty", path.string()));
  }
  if (mapped == MAP_FAILED) {
    return base::fail(fmt::format("The corpus {} cannot be mapped", path.string()));
  }
  return std::string_view(static_cast<const char*>(mapped),
                          static_cast<std::size_t>(about.st_size));
}

}  // namespace

base::Result<Corpus> Corpus::open(const std::filesystem::path& path, Tokens tokens) {
  const auto text = map_file(path);
  if (!text) return tl::unexpected(text.error());
  Corpus corpus;
  corpus.data_ = text->data();
  corpus.bytes_ = text->size();
  corpus.kind_ = tokens;
  const bool cut = tokens == Tokens::bytes && text->size() > kLookedAt;
  const std::string_view looked_at = cut ? text->substr(0, kLookedAt) : *text;
  if (const std::size_t at = first_fault(looked_at, cut); at != std::string_view::npos) {
    return base::fail(fmt::format("The corpus {} is no text: byte {} is 0x{:02X}", path.string(),
                                  at, static_cast<unsigned char>((*text)[at])));
  }
  if (tokens == Tokens::bytes) return corpus;

  std::unordered_map<std::string_view, std::uint16_t> ranks;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t count = character_bytes(text->substr(at));
    ranks.emplace(text->substr(at, count), std::uint16_t{0});
    at += count;
  }
  if (ranks.size() > kMostCharacters) {
    return base::fail(
        fmt::format("The corpus {} has more than 65,536 different characters: take "
                    "tokenizer byte",
                    path.string()));
  }
  // The order of UTF-8 is that of code points.
  for (const auto& [character, rank] : ranks) corpus.characters_.emplace_back(character);
  std::ranges::sort(corpus.characters_);
  for (std::size_t i = 0; i < corpus.characters_.size(); ++i) {
    ranks[corpus.characters_[i]] = static_cast<std::uint16_t>(i);
  }
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t count = character_bytes(text->substr(at));
    corpus.encoded_.push_back(ranks.at(text->substr(at, count)));
    at += count;
  }
  return corpus;
}

Corpus::~Corpus() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), bytes_);
}

Corpus::Corpus(Corpus&& other) noexcept {
  *this = std::move(other);
}

Corpus& Corpus::operator=(Corpus&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(kind_, other.kind_);
  encoded_.swap(other.encoded_);
  characters_.swap(other.characters_);
  return *this;
}

std::int64_t Corpus::size() const {
  return static_cast<std::int64_t>(kind_ == Tokens::bytes ? bytes_ : encoded_.size());
}

std::int64_t Corpus::vocab() const {
  constexpr std::int64_t kBytes = 256;
  return kind_ == Tokens::bytes ? kBytes : static_cast<std::int64_t>(characters_.size());
}

void Corpus::read(std::int64_t begin, std::span<std::int64_t> out) const {
  TS_CHECK(begin >= 0 && begin + static_cast<std::int64_t>(out.size()) <= size());
  const auto first = static_cast<std::size_t>(begin);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] =
        kind_ == Tokens::bytes ? static_cast<unsigned char>(data_[first + i]) : encoded_[first + i];
  }
}

std::string Corpus::text_of(std::span<const std::int64_t> tokens) const {
  std::string text;
  for (const std::int64_t token : tokens) {
    if (token < 0 || token >= vocab()) {
      text += kNotUtf8;
    } else if (kind_ == Tokens::bytes) {
      text += static_cast<char>(token);
    } else {
      text += characters_[static_cast<std::size_t>(token)];
    }
  }
  if (kind_ == Tokens::characters) return text;
  // Sampled bytes need not be UTF-8.
  std::string whole;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t count = character_bytes(std::string_view(text).substr(at));
    whole += count == 0 ? std::string(kNotUtf8) : text.substr(at, count);
    at += std::max<std::size_t>(count, 1);
  }
  return whole;
}

}  // namespace ts::io
