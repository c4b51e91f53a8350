#include "core/io/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <future>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/io/gunzip.h"
#include "core/io/input_file.h"
#include "core/io/json_scanner.h"
#include "core/io/unpack.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::io {
namespace {

// Small enough to stay in the cache between being filled and being read.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;
// Before a piece, for what the one before it left over.
constexpr std::size_t kRoom = std::size_t{1} << 16U;
constexpr const char* kGoesOn = "file_error.reason.goes_on";
constexpr std::size_t kPackedBytes = std::size_t{1} << 18U;  // read at once of a packed file

}  // namespace

// Text in a buffer, with room before it and padding behind it.
struct Input::Piece {
  std::unique_ptr<char[]> buffer = {};  // not filled with zeros
  std::size_t capacity = 0;             // between room and padding
  std::size_t size = 0;
  std::optional<base::Error> problem = {};
  base::Message fault = {};

  void hold(std::size_t bytes) {
    if (capacity >= bytes) return;
    buffer.reset(new char[kRoom + bytes + JsonScanner::kPadding]);
    capacity = bytes;
  }
  [[nodiscard]] char* text() const { return buffer.get() + kRoom; }
};

// Where the pieces come from: a file, unpacked on the way.
class Input::Source {
 public:
  Source(std::filesystem::path path, InputFile&& file, const Reading& how)
      : path_(std::move(path)), file_(std::move(file)), how_(how), left_(how.most) {}
  // For a content in memory.
  Source(std::string content, std::size_t piece_bytes)
      : content_(std::move(content)), piece_bytes_(piece_bytes), left_(how_.most) {}
  ~Source() {
    if (ahead_.valid()) ahead_.wait();
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] std::uint64_t file_bytes() const { return file_ ? file_->size() : content_.size(); }
  [[nodiscard]] bool packed() const { return gunzip_ != nullptr; }

  // The next piece, empty at the end. `old` is one that is not needed any more.
  Piece next(Piece&& old) {
    if (!begun_) return first(std::move(old));
    if (!packed()) return fill(std::move(old));
    Piece piece = ahead_.valid() ? ahead_.get() : Piece{};
    if (piece.size > 0) go_ahead(std::move(old));
    return piece;
  }

 private:
  Piece first(Piece&& piece) {
    begun_ = true;
    piece = fill(std::move(piece));
    if (!is_gzip({piece.text(), piece.size})) return piece;
    waiting_.assign(piece.text(), piece.size);
    gunzip_ = std::make_unique<Gunzip>();
    most_ = std::max(kAlwaysUnpacked, kMostRatio * file_bytes());
    left_ = std::min(how_.most, most_);
    piece = fill(std::move(piece));
    if (!gunzip_->ready()) piece.fault = text::message("pack_error.zlib");
    if (piece.size > 0) go_ahead({});
    return piece;
  }
  void go_ahead(Piece&& old) {
    ahead_ = std::async(std::launch::async, [this, again = std::move(old)]() mutable {
      return fill(std::move(again));
    });
  }
  Piece fill(Piece&& piece) {
    piece.hold(piece_bytes_);
    piece.size = 0;
    piece.problem.reset();
    piece.fault = {};
    const std::size_t most = std::min(piece.capacity, left_);
    while (piece.size < most && !piece.problem) {
      const std::span<char> to(piece.text() + piece.size, most - piece.size);
      const std::size_t got = packed() ? unpack(to, piece) : read(to, piece);
      if (got == 0) break;
      piece.size += got;
    }
    left_ -= piece.size;
    if (left_ == 0 && most_ < how_.most && piece.size == 0)
      piece.problem = named(too_packed(most_));
    return std::move(piece);
  }
  // The file as it is; 0 at its end.
  std::size_t read(std::span<char> to, Piece& piece) {
    if (!file_) {
      const std::size_t got = content_.copy(to.data(), to.size(), read_);
      read_ += got;
      return got;
    }
    if (!base::goes_on(how_.progress, file_->position(), file_->size())) {
      piece.problem = text::message("file_error.stopped");
      return 0;
    }
    const auto got = file_->read(to);
    if (!got) piece.problem = got.error();
    return got ? *got : 0;
  }
  std::size_t unpack(std::span<char> to, Piece& piece) {
    std::size_t made = 0;
    while (made == 0 && !ended_) {
      // The header of the next member is at most a few bytes away.
      constexpr std::size_t kLeast = 64;
      if (waiting_.size() - used_ < kLeast && !read_packed(piece)) return 0;
      const Gunzip::Step step = gunzip_->step(std::string_view(waiting_).substr(used_), to);
      used_ += step.used;
      unpacked_ += step.used;
      made = step.made;
      ended_ = step.state != Gunzip::State::more || (last_ && step.used == 0 && made == 0);
      if (step.state == Gunzip::State::damaged)
        piece.fault = text::message("pack_error.damaged", {{"byte", std::to_string(unpacked_)}});
      else if (ended_ && step.state == Gunzip::State::more)
        piece.fault = text::message("pack_error.cut");
    }
    return made;
  }
  // False: it cannot be read.
  bool read_packed(Piece& piece) {
    if (last_) return true;
    waiting_.erase(0, used_);
    used_ = 0;
    const std::size_t size = waiting_.size();
    waiting_.resize(size + kPackedBytes);
    const std::size_t got = read({waiting_.data() + size, kPackedBytes}, piece);
    waiting_.resize(size + got);
    last_ = got == 0;
    return !piece.problem;
  }
  [[nodiscard]] base::Error named(base::Message reason) const {
    if (path_.empty()) return reason;
    return text::message("file_error.read",
                         {{"path", path_.string()}, text::argument("reason", std::move(reason))});
  }

  std::filesystem::path path_;
  std::optional<InputFile> file_;  // unset: of content_
  std::string content_;
  std::size_t read_ = 0;
  std::size_t piece_bytes_ = kPieceBytes;
  Reading how_;
  std::size_t left_;                                            // bytes of the content
  std::size_t most_ = std::numeric_limits<std::size_t>::max();  // more is too much
  bool begun_ = false;
  std::unique_ptr<Gunzip> gunzip_;
  std::string waiting_;  // of the packed file, from used_ on
  std::size_t used_ = 0;
  std::uint64_t unpacked_ = 0;  // bytes of the packed file
  bool last_ = false;           // waiting_ has its end
  bool ended_ = false;
  std::future<Piece> ahead_;
};

Input::Input() = default;
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

base::Result<Input> Input::open(const std::filesystem::path& path, const Reading& how) {
  TS_TRY(auto file, InputFile::open(path));
  Input input;
  input.source_ = std::make_unique<Source>(path, std::move(file), how);
  input.expected_ = std::min<std::uint64_t>(input.source_->file_bytes(), how.most);
  input.more(0);
  if (input.problem_) return tl::unexpected(*input.problem_);
  if (input.text_.empty()) {
    base::Message reason =
        input.fault_.empty() ? text::message("file_error.reason.empty") : input.fault_;
    return text::fail("file_error.read",
                      {{"path", path.string()}, text::argument("reason", std::move(reason))});
  }
  if (!input.source_->packed()) return input;
  input.packed_ = input.source_->file_bytes();
  input.expected_ = std::min<std::uint64_t>(kUsualRatio * input.packed_, how.most);
  return input;
}

Input Input::in_pieces(std::string content, std::size_t bytes) {
  Input input;
  input.expected_ = content.size();
  input.source_ = std::make_unique<Source>(std::move(content), bytes);
  input.more(0);
  if (input.source_->packed()) input.packed_ = input.source_->file_bytes();
  return input;
}

Input Input::of(std::string content) {
  Input input;
  input.content_ = std::move(content);
  input.text_ = padded(input.content_);
  input.expected_ = input.text_.size();
  input.ended_ = true;
  return input;
}

bool Input::take(Piece& piece) {
  if (piece.problem) problem_ = std::move(piece.problem);
  if (!piece.fault.empty()) fault_ = std::move(piece.fault);
  ended_ = piece.size == 0 || problem_;
  return piece.size > 0;
}

bool Input::more(std::size_t used) {
  offset_ += used;
  text_.remove_prefix(used);
  if (ended_) return false;
  try {
    return read_on();
  } catch (const std::bad_alloc&) {
    problem_ = text::message("pack_error.memory");
    ended_ = true;
    return false;
  }
}

bool Input::read_on() {
  const std::string_view rest = text_;
  Piece next = source_->next(spare_ == nullptr ? Piece{} : std::move(*spare_));
  spare_.reset();
  if (!take(next)) return false;
  if (rest.size() > kRoom) return grow(std::move(next));
  char* const begin = next.text() - rest.size();
  if (!rest.empty()) std::memcpy(begin, rest.data(), rest.size());
  text_ = {begin, rest.size() + next.size};
  spare_ = std::move(piece_);
  piece_ = std::make_unique<Piece>(std::move(next));
  return true;
}

// Something long: as much again is read behind it, so that it is copied a few times only.
bool Input::grow(Piece&& next) {
  const std::size_t wanted = 2 * text_.size();
  Piece whole;
  whole.hold(wanted + next.capacity);
  const auto add = [&whole](std::string_view text) {
    std::memcpy(whole.text() + whole.size, text.data(), text.size());
    whole.size += text.size();
  };
  add(text_);
  add({next.text(), next.size});
  while (whole.size < wanted) {
    next = source_->next(std::move(next));
    if (!take(next)) break;
    add({next.text(), next.size});
  }
  text_ = {whole.text(), whole.size};
  piece_ = std::make_unique<Piece>(std::move(whole));
  return true;
}

std::string Input::rest() {
  if (source_ == nullptr) {
    content_.resize(static_cast<std::size_t>(text_.data() - content_.data()) + text_.size());
    content_.erase(0, static_cast<std::size_t>(text_.data() - content_.data()));
    text_ = {};
    return std::move(content_);
  }
  std::string all;
  try {
    all.reserve(expected_ + JsonScanner::kPadding);
    do {
      all += text_;
      if (packed_ > 0 && all.size() > most_unpacked(packed_)) {
        problem_ = too_packed(most_unpacked(packed_));
        return {};
      }
    } while (more(text_.size()));
    if (problem_) return {};
  } catch (const std::bad_alloc&) {
    problem_ = text::message("pack_error.memory");
    return {};
  } catch (const std::length_error&) {
    problem_ = text::message("pack_error.memory");
    return {};
  }
  return all;
}

base::Message only_range(const base::FileRange& range) {
  // 400 us in seconds is 0.00039999999999999996.
  const bool events = range.unit == base::FileRange::Unit::events;
  const auto words = [&](double number) {
    return events ? text::grouped(static_cast<std::int64_t>(number))
                  : fmt::format("{:.12g}", number);
  };
  const std::string key = events ? "file_error.reason.events" : "file_error.reason.seconds";
  if (std::isinf(range.to)) return text::message(key + "_from", {{"from", words(range.from)}});
  return text::message(key, {{"from", words(range.from)}, {"to", words(range.to)}});
}

namespace {

// The first message in `fault`, itself included, of which `is` is true.
template <class Is>
std::optional<base::Message> message_in(const base::Message& fault, const Is& is) {
  if (is(fault.key)) return fault;
  for (const base::Argument& one : fault.arguments) {
    if (one.key.empty()) continue;
    if (auto found = message_in({one.value, one.key, one.arguments}, is)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<base::Message> asked_range(const base::Message& fault) {
  return message_in(fault, [](const std::string& key) {
    for (const char* const range : {"file_error.reason.events", "file_error.reason.seconds"}) {
      if (key == range || key == std::string(range) + "_from") return true;
    }
    return false;
  });
}

base::Message beginning_of(const std::filesystem::path& path) {
  return read_in_part(path, text::message(kGoesOn));
}

bool is_beginning(const base::Message& fault) {
  return message_in(fault, [](const std::string& key) { return key == kGoesOn; }).has_value();
}

}  // namespace ts::io
