#include "core/snapshot/snapshot_pickle_emitter.h"

#include <bit>
#include <limits>

#include "core/snapshot/pickle_opcodes.h"

namespace ts::snapshot {
namespace {

constexpr std::size_t kBatch = 1000;
constexpr std::size_t kPicklePiece = std::size_t{1} << 20;
constexpr unsigned kProtocol = 4;

}  // namespace

PickleEmitter::PickleEmitter(const io::WritePiece& write, const allocator::Snapshot& snapshot)
    : write_(write),
      snapshot_(snapshot),
      text_memos_(snapshot.strings->size(), kNotWritten),
      stack_memos_(snapshot.stacks.stack_count(), kNotWritten) {
  byte(pickle::kProto);
  byte(kProtocol);
}

void PickleEmitter::little_endian(std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    byte(static_cast<unsigned>(value & 0xFFU));
    value >>= 8U;
  }
}

void PickleEmitter::open(unsigned opcode, bool dict) {
  byte(opcode);
  levels_.push_back({dict, 0});
}

void PickleEmitter::begin_list() {
  open(pickle::kEmptyList, false);
}
void PickleEmitter::pair(std::int64_t first, std::int64_t second) {
  integer(first);
  integer(second);
  byte(pickle::kTuple2);
}
void PickleEmitter::begin_dict() {
  open(pickle::kEmptyDict, true);
}

void PickleEmitter::count_item() {
  Level& level = levels_.back();
  if (level.items == kBatch) {
    byte(level.dict ? pickle::kSetitems : pickle::kAppends);
    level.items = 0;
  }
  if (level.items++ == 0) byte(pickle::kMark);
  flush_if_full();
}

void PickleEmitter::item() {
  count_item();
}

void PickleEmitter::key(std::string_view name) {
  count_item();
  literal(name);
}

void PickleEmitter::end() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.items > 0) byte(level.dict ? pickle::kSetitems : pickle::kAppends);
}

void PickleEmitter::integer(std::int64_t value) {
  if (value >= 0 && value <= 0xFF) {
    byte(pickle::kBinint1);
    little_endian(static_cast<std::uint64_t>(value), 1);
  } else if (value >= 0 && value <= 0xFFFF) {
    byte(pickle::kBinint2);
    little_endian(static_cast<std::uint64_t>(value), 2);
  } else if (value >= std::numeric_limits<std::int32_t>::min() &&
             value <= std::numeric_limits<std::int32_t>::max()) {
    byte(pickle::kBinint);
    little_endian(static_cast<std::uint64_t>(value), 4);
  } else {
    // One bit more than the magnitude, for the sign.
    const auto magnitude = static_cast<std::uint64_t>(value < 0 ? ~value : value);
    const auto bytes = static_cast<std::size_t>(std::bit_width(magnitude)) / 8 + 1;
    byte(pickle::kLong1);
    byte(static_cast<unsigned>(bytes));
    little_endian(static_cast<std::uint64_t>(value), bytes);
  }
}

void PickleEmitter::address(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return integer(static_cast<std::int64_t>(value));
  }
  // A ninth byte marks it as positive.
  byte(pickle::kLong1);
  byte(sizeof(value) + 1);
  little_endian(value, sizeof(value));
  byte(0);
}

void PickleEmitter::real(double value) {
  byte(pickle::kBinfloat);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    byte(static_cast<unsigned>((bits >> (shift - 8)) & 0xFFU));
  }
}

void PickleEmitter::boolean(bool value) {
  byte(value ? pickle::kNewtrue : pickle::kNewfalse);
}

void PickleEmitter::none() {
  byte(pickle::kNone);
}

void PickleEmitter::get(std::uint32_t memo) {
  if (memo <= 0xFF) {
    byte(pickle::kBinget);
    little_endian(memo, 1);
  } else {
    byte(pickle::kLongBinget);
    little_endian(memo, 4);
  }
}

void PickleEmitter::shared_text(std::string_view value, std::uint32_t& memo) {
  if (memo != kNotWritten) return get(memo);
  if (value.size() <= 0xFF) {
    byte(pickle::kShortBinunicode);
    little_endian(value.size(), 1);
  } else {
    byte(pickle::kBinunicode);
    little_endian(value.size(), 4);
  }
  out_ += value;
  byte(pickle::kMemoize);
  memo = memo_count_++;
}

void PickleEmitter::text(base::StringId value) {
  shared_text(snapshot_.text(value), text_memos_[value]);
}

void PickleEmitter::literal(std::string_view value) {
  shared_text(value, literal_memos_.try_emplace(value.data(), kNotWritten).first->second);
}

bool PickleEmitter::begin_shared_stack(allocator::StackIndex index) {
  std::uint32_t& memo = stack_memos_[index];
  if (memo != kNotWritten) {
    get(memo);
    return false;
  }
  begin_list();
  byte(pickle::kMemoize);
  memo = memo_count_++;
  return true;
}

void PickleEmitter::flush_if_full() {
  if (out_.size() < kPicklePiece) return;
  write_(out_);
  out_.clear();
}

void PickleEmitter::finish() {
  byte(pickle::kStop);
  write_(out_);
  out_.clear();
}

}  // namespace ts::snapshot
