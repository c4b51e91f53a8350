#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/io/file.h"

namespace ts::snapshot {

// Writes pickle protocol 4 (see SnapshotEmit). Batches hold at most 1000 items: the web page for
// snapshots fails on batches of more than about 125,000. Every text and every stack is written once
// and then fetched from the memo.
class PickleEmitter {
 public:
  PickleEmitter(const io::WritePiece& write, const allocator::Snapshot& snapshot);

  void begin_list();
  void pair(std::int64_t first, std::int64_t second);  // a tuple
  void begin_dict();
  void item();
  void key(std::string_view name);
  void end();
  void integer(std::int64_t value);
  void address(std::uint64_t value);
  void real(double value);
  void boolean(bool value);
  void none();
  void text(base::StringId value);
  void literal(std::string_view value);
  bool begin_shared_stack(allocator::StackIndex index);
  void finish();

 private:
  static constexpr std::uint32_t kNotWritten = 0xFFFFFFFFU;
  struct Level {
    bool dict = false;
    std::size_t items = 0;  // in the open batch
  };

  void byte(unsigned value) { out_ += static_cast<char>(value); }
  void little_endian(std::uint64_t value, std::size_t bytes);
  void shared_text(std::string_view value, std::uint32_t& memo);
  void get(std::uint32_t memo);
  void open(unsigned opcode, bool dict);
  void count_item();
  void flush_if_full();

  const io::WritePiece& write_;
  const allocator::Snapshot& snapshot_;
  std::string out_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> text_memos_;   // by StringId
  std::vector<std::uint32_t> stack_memos_;  // by StackIndex
  // By the address of the text: names of keys do not move, and equal ones mostly share an address.
  std::unordered_map<const char*, std::uint32_t> literal_memos_;
  std::uint32_t memo_count_ = 0;
};

}  // namespace ts::snapshot
