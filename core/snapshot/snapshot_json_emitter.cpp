#include "core/snapshot/snapshot_json_emitter.h"

#include <array>
#include <charconv>
#include <cmath>

#include "core/io/json_text.h"

namespace ts::snapshot {
namespace {

constexpr std::size_t kJsonPiece = std::size_t{1} << 20;

}  // namespace

JsonEmitter::JsonEmitter(const io::WritePiece& write, const allocator::Snapshot& snapshot)
    : write_(write), snapshot_(snapshot), quoted_(snapshot.strings->size()) {}

void JsonEmitter::pair(std::int64_t first, std::int64_t second) {
  begin_list();
  item();
  integer(first);
  item();
  integer(second);
  end();
}
void JsonEmitter::begin_list() {
  out_ += '[';
  levels_.push_back({false, true});
}

void JsonEmitter::begin_dict() {
  out_ += '{';
  levels_.push_back({true, true});
}

void JsonEmitter::separate() {
  Level& level = levels_.back();
  if (!level.empty) out_ += ',';
  level.empty = false;
  if (levels_.size() <= kLinedLevels && !(level.dict && levels_.size() > 1)) out_ += '\n';
  if (out_.size() < kJsonPiece) return;
  write_(out_);
  out_.clear();
}

void JsonEmitter::item() {
  separate();
}

void JsonEmitter::key(std::string_view name) {
  separate();
  io::append_json_string(out_, name);
  out_ += ':';
}

void JsonEmitter::end() {
  out_ += levels_.back().dict ? '}' : ']';
  levels_.pop_back();
}

void JsonEmitter::integer(std::int64_t value) {
  io::append_integer(out_, value);
}

void JsonEmitter::address(std::uint64_t value) {
  std::array<char, 24> digits{};
  out_.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void JsonEmitter::real(double value) {
  if (!std::isfinite(value)) {
    out_ += "null";
    return;
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  out_ += text;
  // This lets readers distinguish a real from an integer.
  if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
}

void JsonEmitter::boolean(bool value) {
  out_ += value ? "true" : "false";
}

void JsonEmitter::text(base::StringId value) {
  std::string& quoted = quoted_[value];
  if (quoted.empty()) io::append_json_string(quoted, snapshot_.text(value));
  out_ += quoted;
}

void JsonEmitter::literal(std::string_view value) {
  io::append_json_string(out_, value);
}

bool JsonEmitter::begin_shared_stack(allocator::StackIndex /*index*/) {
  begin_list();
  return true;
}

void JsonEmitter::finish() {
  out_ += '\n';
  write_(out_);
  out_.clear();
}

}  // namespace ts::snapshot
