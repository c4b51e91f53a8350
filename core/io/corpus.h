#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/input_file.h"

namespace ts::io {

// A text file as tokens. The file stays open and only the requested parts are read: the rest costs
// no memory.
//   bytes a token is a byte, 0 to 255; nothing is converted
//   characters a token is the rank of a character among those in the text, numbered as in nanoGPT's
//               example shakespeare_char; the text is encoded once, 2 bytes a character
class Corpus {
 public:
  enum class Tokens : std::uint8_t { bytes, characters };

  // Errors: the file does not exist, is empty, is not text (a byte 0, or not UTF-8; for bytes only
  // the first MiB is checked), or has more than 65,536 different characters.
  static base::Result<Corpus> open(const std::filesystem::path& path, Tokens tokens);

  [[nodiscard]] std::int64_t size() const;   // tokens
  [[nodiscard]] std::int64_t vocab() const;  // different tokens: 256 for bytes
  // Tokens [begin, begin + out.size()), within size(). Error: the file was shortened since it was
  // opened, or cannot be read.
  base::Result<void> read(std::int64_t begin, std::span<std::int64_t> out) const;
  // The text of tokens; tokens that the corpus does not have, and broken UTF-8, become U+FFFD.
  [[nodiscard]] std::string text_of(std::span<const std::int64_t> tokens) const;

 private:
  Corpus() = default;

  std::string name_;  // for messages
  Descriptor file_;
  std::size_t bytes_ = 0;
  Tokens kind_ = Tokens::bytes;
  std::vector<std::uint16_t> encoded_;   // of characters
  std::vector<std::string> characters_;  // by token, in UTF-8
};

}  // namespace ts::io
