#pragma once

#include <string>

#include "app/pages/memory_pair.h"
#include "app/pages/page_view.h"

namespace ts::app {

// The page of A against B: the setting that differs, the comparison as it goes on, its outcome.
class ComparePage : public PageView {
 public:
  explicit ComparePage(const PageServices& services) : PageView(services), memory_(services) {}

  void draw(const views::Ui& ui, Requests& requests) override;
  void start() override;
  void save(Requests& requests) override;
  [[nodiscard]] std::string why_not_save() const override;

 private:
  void draw_head(const views::Ui& ui, float width);
  void draw_buttons(const views::Ui& ui);
  [[nodiscard]] std::string refusal() const;
  [[nodiscard]] std::string stale() const;

  MemoryPair memory_;
  float times_height_ = 0;  // of all above the memory, in the last frame, in pixels
};

}  // namespace ts::app
