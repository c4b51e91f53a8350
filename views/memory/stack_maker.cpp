#include "views/memory/stack_maker.h"

#include <utility>

#include "core/base/clock.h"
#include "views/charts/chart_text.h"
#include "views/common/allocation_colors.h"

namespace ts::views {

std::int32_t layer_of(std::string_view module) {
  std::size_t begin = 0;
  while (begin < module.size()) {
    const std::size_t dot = std::min(module.find('.', begin), module.size());
    const std::string_view part = module.substr(begin, dot - begin);
    const bool number = !part.empty() && part.size() < 8 &&
                        part.find_first_not_of("0123456789") == std::string_view::npos;
    if (number) {
      std::int32_t value = 0;
      for (const char c : part) value = value * 10 + (c - '0');
      return value;
    }
    begin = dot + 1;
  }
  return -1;
}

bool StackMaker::odd_layer(const base::StringTable& strings, base::StringId module) {
  if (known_ != &strings) odd_.clear();
  known_ = &strings;
  if (module >= odd_.size()) odd_.resize(std::size_t{module} + 1, -1);
  std::int8_t& known = odd_[module];
  if (known < 0) known = layer_of(strings.view(module)) % 2 == 1 ? 1 : 0;
  return known == 1;
}

// A band has the colour of its largest block.
Color StackMaker::color_of(const StackOrder& order, const Theme& theme,
                           const memory::StackRect& rect) {
  constexpr float kFaint = 0.85F;
  const Color color = plain_color(order, theme, rect);
  const bool hit = order.hits == nullptr || (*order.hits)[rect.largest];
  return hit ? color : mixed(color, theme.surface, kFaint);
}

Color StackMaker::plain_color(const StackOrder& order, const Theme& theme,
                              const memory::StackRect& rect) {
  if (order.look.colors == BlockColors::allocation) return allocation_color(rect.largest);
  const memory::Block& block = order.log->blocks()[rect.largest];
  if (order.look.colors == BlockColors::stack) {
    return stack_color(block, rect.largest, order.stacks);
  }
  const Color color = theme.category[static_cast<std::size_t>(rect.category)];
  if (rect.block == memory::kNone) return color;
  return odd_layer(*order.strings, block.module) ? darker(color) : color;
}

MadeStack StackMaker::make(const StackOrder& order, const base::CancelToken& cancel) {
  const std::int64_t begin = base::now_ns();
  MadeStack made;
  made.number = order.number;
  made.layout = memory::lay_out_active_memory(*order.log, order.request, cancel);
  if (cancel.cancelled()) return made;
  const Theme& look = theme(order.look.theme);
  made.picture = make_stack_picture(
      made.layout, order.request.rows, order.look.scale, look.surface,
      [&](const memory::StackRect& rect) { return color_of(order, look, rect); });
  made.cost_ns = base::now_ns() - begin;
  return made;
}

void BackgroundStackMaker::ask(StackOrder order) {
  using Thread = base::JobThread<StackOrder>;
  if (!thread_) {
    thread_.emplace(
        Thread::Calls{.work = [this](const StackOrder& asked, const base::CancelToken& cancel) {
          make(asked, cancel);
        }});
  }
  thread_->submit(std::move(order), Thread::InProgress::keep);
}

std::optional<MadeStack> BackgroundStackMaker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(made_, std::nullopt);
}

bool BackgroundStackMaker::busy() const {
  const std::lock_guard lock(mutex_);
  return made_ || (thread_ && thread_->busy());
}

void BackgroundStackMaker::forget() {
  const std::lock_guard lock(mutex_);
  made_.reset();
  if (thread_) thread_->cancel();
}

void BackgroundStackMaker::stop() {
  forget();
  thread_.reset();  // joins; the next order starts another
}

void BackgroundStackMaker::make(const StackOrder& order, const base::CancelToken& cancel) {
  MadeStack made = maker_.make(order, cancel);
  const std::lock_guard lock(mutex_);
  if (!cancel.cancelled()) made_ = std::move(made);
}

}  // namespace ts::views
