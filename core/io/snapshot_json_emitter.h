#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/file.h"
#include "core/memory/snapshot.h"

namespace ts::io {

// Writes JSON (see SnapshotEmit), a line for each segment and each event. JSON has no NaN and no
// infinity: such a real becomes null.
class JsonEmitter {
 public:
  JsonEmitter(const WritePiece& write, const memory::Snapshot& snapshot);

  void begin_list();
  void begin_dict();
  void item();
  void key(std::string_view name);
  void end();
  void integer(std::int64_t value);
  void address(std::uint64_t value);
  void real(double value);
  void boolean(bool value);
  void text(base::StringId value);
  void literal(std::string_view value);
  bool begin_shared_stack(memory::StackIndex index);
  void finish();

 private:
  struct Level {
    bool dict = false;
    bool empty = true;
  };
  static constexpr std::size_t kLinedLevels = 3;  // deeper lists go on in their line

  void separate();

  const WritePiece& write_;
  const memory::Snapshot& snapshot_;
  std::string out_;
  std::vector<Level> levels_;
  std::vector<std::string> quoted_;  // by StringId
};

}  // namespace ts::io
