#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/file_range.h"
#include "core/base/result.h"
#include "core/io/file.h"

namespace ts::io {

// A file from front to back through a buffer that stays small, unpacked if its first bytes are
// those of gzip: then it is unpacked on a thread of its own, a piece ahead. One owner thread. Pipes
// and devices are refused.
class Input {
 public:
  // `how.most` counts what is unpacked. Errors name the file.
  static base::Result<Input> open(const std::filesystem::path& path, const Reading& how = {});
  // A content in memory, as that of a file. Messages name no file.
  static Input of(std::string content);
  // The same as files come, with pieces of that size: for tests.
  static Input in_pieces(std::string content, std::size_t bytes);

  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  // The bytes so far. Behind them are JsonScanner::kPadding bytes that may be read.
  [[nodiscard]] std::string_view text() const { return text_; }
  // Where text() begins in the content.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  // Drops the first `used` bytes of text() and reads more behind the rest; all of text() moves.
  // False: nothing came, text() is the rest.
  bool more(std::size_t used);
  // All that is left, in memory. Empty where that is too much: problem() says so.
  std::string rest();

  // No more comes.
  [[nodiscard]] bool ended() const { return ended_; }
  // Why nothing more came, if it was not the end of the file: it cannot be read or is packed too
  // tightly, or that was cancelled.
  [[nodiscard]] const std::optional<base::Error>& problem() const { return problem_; }
  // Why a packed file was unpacked only in part.
  [[nodiscard]] const base::Message& fault() const { return fault_; }
  // Bytes of the file where it is packed; 0: it is not.
  [[nodiscard]] std::size_t packed() const { return packed_; }
  // Bytes of the content, a guess where the file is packed.
  [[nodiscard]] std::uint64_t expected() const { return expected_; }

 private:
  class Source;
  struct Piece;
  Input();
  bool read_on();
  bool take(Piece& piece);
  bool grow(Piece&& next);

  std::unique_ptr<Source> source_;  // null: all is there
  std::unique_ptr<Piece> piece_;    // that holds text_
  std::unique_ptr<Piece> spare_;    // that may be filled anew
  std::string content_;             // that was in memory
  std::string_view text_;
  bool ended_ = false;
  std::uint64_t offset_ = 0;
  std::optional<base::Error> problem_;
  base::Message fault_;
  std::size_t packed_ = 0;
  std::uint64_t expected_ = 0;
};

// Why only some events of a file were read: they were asked for.
base::Message only_range(const base::FileRange& range);
// That reason, where `fault` has no other one, alone or within a sentence.
std::optional<base::Message> asked_range(const base::Message& fault);
// The fault of a file's beginning that is shown while the rest is being read.
base::Message beginning_of(const std::filesystem::path& path);
bool is_beginning(const base::Message& fault);

}  // namespace ts::io
