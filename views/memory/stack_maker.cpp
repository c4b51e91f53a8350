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
  if (order.look.colors == BlockColors::allocation) return allocation_color(rect.largest);
  const memory::Block& block = order.log->blocks()[rect.largest];
  if (order.look.colors == BlockColors::stack) {
    return stack_color(block, rect.largest, order.stacks);
  }
  const Color color = theme.category[static_cast<std::size_t>(rect.category)];
  if (rect.block == memory::kNone) return color;
  return odd_layer(*order.strings, block.module) ? darker(color) : color;
}

MadeStack StackMaker::make(const StackOrder& order, const std::stop_token& stop) {
  const std::int64_t begin = base::now_ns();
  MadeStack made;
  made.number = order.number;
  made.layout = memory::lay_out_active_memory(*order.log, order.request, stop);
  if (stop.stop_requested()) return made;
  const Theme& look = theme(order.look.theme);
  made.picture = make_stack_picture(
      made.layout, order.request.rows, order.look.scale, look.surface,
      [&](const memory::StackRect& rect) { return color_of(order, look, rect); });
  made.cost_ns = base::now_ns() - begin;
  return made;
}

BackgroundStackMaker::~BackgroundStackMaker() {
  forget();
}

void BackgroundStackMaker::ask(StackOrder order) {
  const std::lock_guard lock(mutex_);
  waiting_ = std::move(order);
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& end) { run(end); });
  }
  wake_.notify_one();
}

std::optional<MadeStack> BackgroundStackMaker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(made_, std::nullopt);
}

bool BackgroundStackMaker::busy() const {
  const std::lock_guard lock(mutex_);
  return making_ || waiting_ || made_;
}

void BackgroundStackMaker::forget() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  made_.reset();
  stop_.request_stop();
}

void BackgroundStackMaker::run(const std::stop_token& end) {
  StackMaker maker;
  for (;;) {
    std::optional<StackOrder> order;
    std::stop_token stop;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, end, [this] { return waiting_.has_value(); })) return;
      order = std::exchange(waiting_, std::nullopt);
      stop_ = std::stop_source();
      stop = stop_.get_token();
      making_ = true;
    }
    MadeStack made = maker.make(*order, stop);
    order.reset();
    const std::lock_guard lock(mutex_);
    making_ = false;
    if (!stop.stop_requested()) made_ = std::move(made);
  }
}

}  // namespace ts::views
