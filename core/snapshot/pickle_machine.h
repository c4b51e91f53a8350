#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/snapshot/document.h"
#include "core/snapshot/pickle.h"
#include "core/text/message.h"

namespace ts::snapshot::pickle {

// The stack machine of pickle, for data only. Private to the reader.
class Machine {
 public:
  using Value = Document::Value;

  explicit Machine(Document& document)
      : document_(document),
        begin_(document.content().data()),
        at_(begin_),
        end_(begin_ + document.content().size()) {}

  base::Result<ParsedContent> run() {
    while (!stopped_ && fault_.empty()) {
      for (std::size_t i = 0; i < kOpcodesBetweenChecks && !stopped_ && fault_.empty(); ++i) step();
      check_memory();
    }
    if (refused_) return tl::unexpected(fault_);
    if (!stopped_) close_all();
    return ParsedContent{stack_.empty() ? Value() : stack_.front(), std::move(fault_)};
  }

 private:
  static constexpr std::size_t kMostMarks = 1000;
  static constexpr std::size_t kOpcodesBetweenChecks = std::size_t{1} << 14;

  void step();
  void step_text_or_number(std::uint8_t opcode);
  void step_rare(std::uint8_t opcode);

  // Returns false after a fault.
  bool need(std::uint64_t bytes) {
    if (bytes <= static_cast<std::uint64_t>(end_ - at_)) return true;
    fault_ =
        text::message("pickle_error.ends", {{"byte", std::to_string(document_.content().size())}});
    return false;
  }
  // The message is the text pickle_error.KEY.
  void fault(const std::string& key, std::vector<base::Argument> arguments = {}) {
    fault_ = text::message(
        "pickle_error.at",
        {{"byte", std::to_string(opcode_at_ - begin_)},
         text::argument("reason", text::message("pickle_error." + key, std::move(arguments)))});
  }
  // Little endian, as the machine is. Call it only after need().
  std::uint64_t take(std::size_t bytes) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t value = 0;
    std::memcpy(&value, at_, bytes);
    at_ += bytes;
    return value;
  }
  // A number of so many bytes: a constant, because a copy of a length that is known is one load.
  template <std::size_t Bytes>
  std::optional<std::uint64_t> number() {
    if (!need(Bytes)) return std::nullopt;
    return take(Bytes);
  }

  template <std::size_t LengthBytes>
  void text() {
    const auto length = number<LengthBytes>();
    if (!length || !need(*length)) return;
    stack_.push_back(document_.text({at_, static_cast<std::size_t>(*length)}));
    at_ += *length;
  }
  void long_integer(std::uint64_t bytes);
  void real() {
    if (!need(8)) return;
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = (bits << 8U) | static_cast<std::uint8_t>(at_[i]);
    at_ += 8;
    stack_.push_back(document_.real(std::bit_cast<double>(bits)));
  }

  void put(std::uint64_t id) {
    if (stack_.empty()) return fault("nothing_to_remember");
    // A valid file numbers its memo entries without gaps and needs a byte for each.
    if (id > static_cast<std::uint64_t>(at_ - begin_)) {
      return fault("memo_out_of_reach", {{"entry", std::to_string(id)}});
    }
    const auto index = static_cast<std::size_t>(id);
    if (index >= memo_.size()) {
      memo_.resize(index + 1);
      memo_set_.resize(index + 1);
    }
    memo_[index] = stack_.back();
    memo_set_[index] = true;
  }
  void get(std::uint64_t id) {
    if (id >= memo_.size() || !memo_set_[static_cast<std::size_t>(id)]) {
      return fault("memo_not_set", {{"entry", std::to_string(id)}});
    }
    stack_.push_back(memo_[static_cast<std::size_t>(id)]);
  }

  [[nodiscard]] std::span<const Value> above(std::size_t base) const {
    return std::span(stack_).subspan(base);
  }
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  void add_marked(Document::Kind kind);
  void add_unmarked(Document::Kind kind, std::size_t count);
  void new_marked(Value container);
  void new_tuple(std::size_t count);
  void close_all();
  void close(std::size_t mark);
  void check_memory();
  void refuse(std::uint8_t opcode);

  Document& document_;
  const char* begin_;
  const char* at_;
  const char* end_;
  const char* opcode_at_ = nullptr;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::vector<Value> memo_;
  std::vector<bool> memo_set_;
  base::Message fault_;
  bool stopped_ = false;
  bool refused_ = false;
};

}  // namespace ts::snapshot::pickle
