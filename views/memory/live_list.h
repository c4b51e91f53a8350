#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/memory/allocation_log.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"
#include "views/memory/memory_axis.h"

namespace ts::views {

// The categories that a log has blocks of. A long log that grows is read again when it has grown by
// an eighth or rests, so that a frame takes little. UI thread.
class PresentCategories {
 public:
  void update(const memory::AllocationLog& log, memory::Axis axis);
  // Its share of the picture of the whole log, in millionths: bytes times the stretch of the axis
  // on which they live. At least 1 if there is a block of it, else 0.
  [[nodiscard]] std::int64_t share(memory::Category category) const {
    return share_[static_cast<std::size_t>(category)];
  }
  // True if the content of at least one block is known.
  [[nodiscard]] bool known() const;

 private:
  std::array<std::int64_t, memory::kCategoryCount> share_{};
  memory::Axis axis_ = memory::Axis::time;
  std::size_t blocks_ = 0;        // of the log when it was read
  std::uint64_t read_ = 0;        // the version that was read
  std::uint64_t last_frame_ = 0;  // the version in the frame before
};

// The live memory right after one event.
struct LiveFacts {
  memory::EventIndex event = memory::kNone;
  std::array<std::int64_t, memory::kCategoryCount> count{};
  memory::CategoryBytes bytes{};
  std::int64_t total_count = 0;
  std::int64_t total_bytes = 0;
  std::vector<memory::BlockIndex> largest;  // the larger first, at most kMostLargest
};
inline constexpr std::size_t kMostLargest = 24;

LiveFacts live_facts(const memory::AllocationLog& log, memory::EventIndex event);

// Facts of the last requested event. Recomputed only when the event or the log changed.
class LiveFactsCache {
 public:
  const LiveFacts& at(const memory::AllocationLog& log, memory::EventIndex event);
  void clear();

 private:
  bool made_ = false;
  std::uint64_t version_ = 0;
  LiveFacts facts_;
};

// Order of the categories in the list: that of the bands in the chart, from above, as in the
// inspector; what is not known last.
inline constexpr std::array<memory::Category, memory::kCategoryCount> kListOrder{
    memory::Category::temporary, memory::Category::activation,      memory::Category::input,
    memory::Category::gradient,  memory::Category::optimizer_state, memory::Category::parameter,
    memory::Category::unknown};

// Border of the one category that is too pale for a white page. 0: none.
Color category_border(const Theme& theme, memory::Category category);

struct LiveListDrawContext {
  DrawSink& sink;
  const Theme& theme;
  Metrics metrics;
  const base::StringTable& strings;
  const text::Texts& texts;
  bool categories = true;  // false: no category is known, and the list has no rows for them
};

// The moment that the list shows.
struct LiveMoment {
  std::int64_t time_ns = 0;
  const char* title = "memory.live_at";                    // the key of "Live at {time}"
  std::function<std::string(std::int64_t time_ns)> words;  // formats a time
};

// Draws the list into `area`: title, count and bytes per category, total, then as many of the
// largest blocks as fit. Returns the block under `mouse`, kNone if it is over none.
memory::BlockIndex draw_live_list(const LiveListDrawContext& drawing, const Rect& area,
                                  const memory::AllocationLog& log, const LiveFacts& facts,
                                  const LiveMoment& moment, Point mouse);

}  // namespace ts::views
