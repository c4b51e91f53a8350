#include "app/pages/notices.h"

#include <utility>

#include "core/base/clock.h"
#include "core/io/file.h"
#include "views/common/spec_text.h"

namespace ts::app {
namespace {

constexpr std::int64_t kShownTime = 6'000'000'000;  // nanoseconds

}  // namespace

void Notices::add(std::string words) {
  words_ = std::move(words);
  until_ns_ = base::now_ns() + kShownTime;
}

void Notices::add(const base::Message& message) {
  add(views::message_text(*texts_, message));
}

void Notices::add_error(const base::Result<void>& result) {
  if (!result) add(result.error());
}

void Notices::saved(const std::filesystem::path& path) {
  toasts_.add(io::absolute_path(path).value_or(path), base::now_ns());
}

void Notices::page_changed() {
  toasts_.page_changed(base::now_ns());
}

const std::string* Notices::sentence() const {
  return base::now_ns() < until_ns_ ? &words_ : nullptr;
}

std::optional<std::filesystem::path> Notices::draw_toasts(const views::Ui& ui) {
  const std::int64_t now = base::now_ns();
  toasts_.expire(now);
  return toasts_.draw(ui, now);
}

bool Notices::animated() const {
  return sentence() != nullptr || !toasts_.empty();
}

}  // namespace ts::app
