#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/io/file.h"

namespace ts::snapshot {

// Writes JSON (see SnapshotEmit), a line for each segment and each event. JSON has no NaN and no
// infinity: such a real becomes null.
class JsonEmitter {
 public:
  JsonEmitter(const io::WritePiece& write, const allocator::Snapshot& snapshot);

  void begin_list();
  void pair(std::int64_t first, std::int64_t second);  // a list
  void begin_dict();
  void item();
  void key(std::string_view name);
  void end();
  void integer(std::int64_t value);
  void address(std::uint64_t value);
  void real(double value);
  void boolean(bool value);
  void none() { out_ += "null"; }
  void text(base::StringId value);
  void literal(std::string_view value);
  bool begin_shared_stack(allocator::StackIndex index);
  void finish();

 private:
  struct Level {
    bool dict = false;
    bool empty = true;
  };
  static constexpr std::size_t kLinedLevels = 3;  // deeper lists go on in their line

  void separate();

  const io::WritePiece& write_;
  const allocator::Snapshot& snapshot_;
  std::string out_;
  std::vector<Level> levels_;
  std::vector<std::string> quoted_;  // by StringId
};

}  // namespace ts::snapshot
