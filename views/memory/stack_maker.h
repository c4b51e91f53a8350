#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/job_thread.h"
#include "core/base/string_table.h"
#include "core/memory/active_memory_layout.h"
#include "views/common/theme.h"
#include "views/common/view_state.h"
#include "views/memory/stack_picture.h"

namespace ts::views {

// The layer a module path belongs to: its first number ("blocks.12.attn" is 12); -1 none.
std::int32_t layer_of(std::string_view module);

// The colours of the stack.
struct StackSettings {
  ThemeKind theme = ThemeKind::dark;
  BlockColors colors = BlockColors::category;
  std::uint32_t detail = kAllBlocks;
  float scale = 1;
  friend bool operator==(const StackSettings&, const StackSettings&) = default;
};

// One picture of the stack to be made. What it points to outlives it: `owner` keeps it where the
// picture is made on another thread, and nothing changes it then.
struct StackOrder {
  std::uint64_t number = 0;
  const memory::AllocationLog* log = nullptr;
  const base::StringTable* strings = nullptr;
  std::span<const std::uint32_t> stacks;  // of the blocks; empty: not known
  memory::LayoutRequest request;
  StackSettings look;
  // By block: true if a search found it; the others are faint. Null: no search.
  std::shared_ptr<const std::vector<bool>> hits;
  std::shared_ptr<const void> owner;
};

struct MadeStack {
  std::uint64_t number = 0;  // of the order
  memory::ActiveMemoryLayout layout;
  StackPicture picture;
  std::int64_t cost_ns = 0;
};

// Lays a stack out and paints it. One owner thread.
class StackMaker {
 public:
  // With a part of the picture when it was cancelled.
  MadeStack make(const StackOrder& order, const base::CancelToken& cancel = {});

 private:
  [[nodiscard]] bool odd_layer(const base::StringTable& strings, base::StringId module);
  [[nodiscard]] Color color_of(const StackOrder& order, const Theme& theme,
                               const memory::StackRect& rect);
  [[nodiscard]] Color plain_color(const StackOrder& order, const Theme& theme,
                                  const memory::StackRect& rect);

  const base::StringTable* known_ = nullptr;  // the strings that odd_ speaks of
  std::vector<std::int8_t> odd_;              // by module; -1 not known yet
};

// Makes pictures one after another on a thread of its own: the one asked for last comes next, those
// in between are dropped. Called from one thread.
class BackgroundStackMaker {
 public:
  void ask(StackOrder order);
  // The picture finished last, once.
  std::optional<MadeStack> take();
  // Whether a picture is being made or waits to be.
  [[nodiscard]] bool busy() const;
  // Nothing that was asked for is wanted any more.
  void forget();
  // The same, and returns when nothing is being made.
  void stop();

 private:
  void make(const StackOrder& order, const base::CancelToken& cancel);

  StackMaker maker_;          // of the thread only
  mutable std::mutex mutex_;  // locked before that of the thread
  std::optional<MadeStack> made_;
  std::optional<base::JobThread<StackOrder>> thread_;  // from the first order on; last
};

}  // namespace ts::views
