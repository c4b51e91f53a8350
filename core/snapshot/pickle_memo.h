#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "core/base/huge_page_allocator.h"
#include "core/snapshot/document.h"

namespace ts::snapshot::pickle {

// The memo of a pickle: values by entry, Value::absent() where nothing was put. An event of a trace
// puts its own values in the same order as the one before, so entries a few apart rise by the same
// amount: pieces of which all do are kept as their first entries. A file of millions of events
// would otherwise need as much memory for values that it never recalls as for its blocks.
class Memo {
 public:
  using Value = Document::Value;
  // So many entries at the end may be taken back.
  static constexpr std::size_t kMostTakenBack = 64;

  [[nodiscard]] std::size_t size() const { return open_ + values_.size() - open_at_; }
  [[nodiscard]] std::size_t bytes() const {
    return values_.size() * sizeof(Value) + pieces_.size() * sizeof(Piece);
  }
  // `entry` is below size().
  [[nodiscard]] Value operator[](std::size_t entry) const {
    if (entry >= open_) return values_[open_at_ + entry - open_];
    const Piece& piece = pieces_[entry / kPiece];
    const std::size_t place = entry % kPiece;
    if (piece.period == 0) return values_[piece.begin + place];
    const std::size_t row = piece.begin + place % piece.period;
    return Value::in_row(values_[row], values_[row + piece.period], place / piece.period);
  }
  // The value of an entry that the file asks for: a list of frames that events share becomes one of
  // its own. `entry` is below size().
  Value recall(std::size_t entry, Document& document) {
    Value value = (*this)[entry];
    if (Document::is_frames_of_event(value)) [[unlikely]] {
      value = document.own_frames(value);
      set(entry, value);
    }
    return value;
  }
  void push_back(Value value) {
    if (values_.size() - open_at_ == kMostOpen) [[unlikely]]
      close_piece();
    values_.push_back(value);
  }
  void set(std::size_t entry, Value value) {
    if (entry >= open_) {
      values_[open_at_ + entry - open_] = value;
      return;
    }
    Piece& piece = pieces_[entry / kPiece];
    if (piece.period != 0) spread(entry / kPiece);
    values_[piece.begin + entry % kPiece] = value;
  }
  // Takes the last entries back.
  void take_back_to(std::size_t entries) {
    TS_CHECK(entries >= open_ && entries <= size());
    values_.resize(open_at_ + entries - open_);
  }
  // Makes room for what comes when this share of the file has been read.
  void expect_all(double part) { base::expect_all(values_, part); }

 private:
  static constexpr std::size_t kPiece = 1024;
  static constexpr std::size_t kMostOpen = kPiece + kMostTakenBack;
  static constexpr std::size_t kMostPeriod = 4;
  struct Piece {
    std::uint64_t begin = 0;   // in values_
    std::uint32_t period = 0;  // its first two periods are in values_; 0: all of it is
  };

  void close_piece() {
    const std::uint32_t period = period_of_first();
    pieces_.push_back({open_at_, period});
    if (period == 0) {
      open_at_ += kPiece;
    } else {
      const auto from = values_.begin() + static_cast<std::ptrdiff_t>(open_at_);
      values_.erase(from + 2 * static_cast<std::ptrdiff_t>(period),
                    from + static_cast<std::ptrdiff_t>(kPiece));
      open_at_ += 2 * std::size_t{period};
    }
    open_ += kPiece;
  }
  // For the piece that is to be closed. 0: it has none.
  [[nodiscard]] std::uint32_t period_of_first() const {
    const Value* const piece = values_.data() + open_at_;
    for (std::size_t period = 1; period <= kMostPeriod; ++period) {
      std::size_t i = 2 * period;
      while (i < kPiece && piece[i] == Value::in_row(piece[i - 2 * period], piece[i - period], 2))
        ++i;
      if (i == kPiece) return static_cast<std::uint32_t>(period);
    }
    return 0;
  }
  // Keeps all values of a piece, behind those of all others.
  void spread(std::size_t number) {
    std::vector<Value> all;
    for (std::size_t i = 0; i < kPiece; ++i) all.push_back((*this)[number * kPiece + i]);
    values_.insert(values_.begin() + static_cast<std::ptrdiff_t>(open_at_), all.begin(), all.end());
    pieces_[number] = {open_at_, 0};
    open_at_ += kPiece;
  }

  base::HugeVector<Value> values_;
  std::vector<Piece> pieces_;  // each of kPiece entries
  std::size_t open_ = 0;       // the first entry behind them
  std::size_t open_at_ = 0;    // its place in values_
};

}  // namespace ts::snapshot::pickle
