#include "core/io/corpus.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <unordered_map>
#include <utility>

#include "core/base/check.h"
#include "core/io/file.h"
#include "core/text/message.h"
#include "core/text/utf8.h"

namespace ts::io {

namespace {

constexpr std::size_t kLookedAt = std::size_t{1} << 20;
constexpr std::size_t kMostCharacters = 65536;
constexpr const char* kNotUtf8 = "\xef\xbf\xbd";

// The first invalid byte of the text; npos if there is none. The last character may be cut off if
// only the beginning of a file is checked.
std::size_t first_fault(std::string_view text, bool cut) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\0') return at;
    const std::size_t count = text::character_bytes(text.substr(at));
    if (count == 0) return cut && text.size() - at < 4 ? std::string_view::npos : at;
    at += count;
  }
  return std::string_view::npos;
}

// Fills `out` from byte `begin` on.
base::Result<void> read_all_at(const Descriptor& file, std::size_t begin, std::span<char> out,
                               const std::string& name) {
  const std::size_t got = read_at(file.number(), begin, out);
  if (got == out.size()) return {};
  if (errno != 0) return text::fail("corpus_error.read", {{"path", name}, system_reason(errno)});
  return text::fail("corpus_error.cut", {{"path", name}, {"byte", std::to_string(begin + got)}});
}

}  // namespace

base::Result<Corpus> Corpus::open(const std::filesystem::path& path, Tokens tokens) {
  Corpus corpus;
  corpus.name_ = path.string();
  corpus.kind_ = tokens;
  // Does not wait for a writer of a pipe; no effect on regular files.
  corpus.file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!corpus.file_.is_open()) {
    if (errno == ENOENT) return text::fail("corpus_error.missing", {{"path", path.string()}});
    return text::fail("corpus_error.read", {{"path", path.string()}, system_reason(errno)});
  }
  struct stat about {};
  if (fstat(corpus.file_.number(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return text::fail("corpus_error.no_file", {{"path", path.string()}});
  }
  if (about.st_size == 0) return text::fail("corpus_error.empty", {{"path", path.string()}});
  corpus.bytes_ = static_cast<std::size_t>(about.st_size);

  const bool cut = tokens == Tokens::bytes && corpus.bytes_ > kLookedAt;
  std::string looked_at(cut ? kLookedAt : corpus.bytes_, '\0');
  TS_TRY_DONE(read_all_at(corpus.file_, 0, looked_at, corpus.name_));
  if (const std::size_t at = first_fault(looked_at, cut); at != std::string_view::npos) {
    return text::fail(
        "corpus_error.no_text",
        {{"path", path.string()},
         {"byte", std::to_string(at)},
         {"value", fmt::format("0x{:02X}", static_cast<unsigned char>(looked_at[at]))}});
  }
  if (tokens == Tokens::bytes) return corpus;

  const std::string_view text = looked_at;
  std::unordered_map<std::string_view, std::uint16_t> ranks;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t count = text::character_bytes(text.substr(at));
    ranks.emplace(text.substr(at, count), std::uint16_t{0});
    at += count;
  }
  if (ranks.size() > kMostCharacters) {
    return text::fail("corpus_error.characters", {{"path", path.string()}});
  }
  // UTF-8 order equals code point order.
  for (const auto& [character, rank] : ranks) corpus.characters_.emplace_back(character);
  std::ranges::sort(corpus.characters_);
  for (std::size_t i = 0; i < corpus.characters_.size(); ++i) {
    ranks[corpus.characters_[i]] = static_cast<std::uint16_t>(i);
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t count = text::character_bytes(text.substr(at));
    corpus.encoded_.push_back(ranks.at(text.substr(at, count)));
    at += count;
  }
  return corpus;
}

std::int64_t Corpus::size() const {
  return static_cast<std::int64_t>(kind_ == Tokens::bytes ? bytes_ : encoded_.size());
}

std::int64_t Corpus::vocab() const {
  constexpr std::int64_t kBytes = 256;
  return kind_ == Tokens::bytes ? kBytes : static_cast<std::int64_t>(characters_.size());
}

base::Result<void> Corpus::read(std::int64_t begin, std::span<std::int64_t> out) const {
  TS_CHECK(begin >= 0 && begin + static_cast<std::int64_t>(out.size()) <= size());
  const auto first = static_cast<std::size_t>(begin);
  if (kind_ == Tokens::characters) {
    std::copy_n(encoded_.begin() + begin, out.size(), out.begin());
    return {};
  }
  std::string bytes(out.size(), '\0');
  if (auto read = read_all_at(file_, first, bytes, name_); !read) return read;
  std::ranges::transform(bytes, out.begin(), [](char c) { return static_cast<unsigned char>(c); });
  return {};
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
  // Sampled bytes may be invalid UTF-8.
  std::string whole;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t count = text::character_bytes(std::string_view(text).substr(at));
    whole += count == 0 ? std::string(kNotUtf8) : text.substr(at, count);
    at += std::max<std::size_t>(count, 1);
  }
  return whole;
}

}  // namespace ts::io
