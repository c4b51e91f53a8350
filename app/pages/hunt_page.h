#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/pages/page_view.h"
#include "views/memory/memory_view.h"

namespace ts::app {

// The page of the hunt: the map of two sizes, the memory of the cell that the settings are in, the
// exact edge, the log of probes and what would make the settings fit.
class HuntPage : public PageView {
 public:
  // `memory` is the view of the page of runs; it outlives this.
  HuntPage(const PageServices& services, views::MemoryView& memory)
      : PageView(services), memory_(&memory) {}

  void update() override { hunts().update(session()); }
  void draw(const views::Ui& ui, Requests& requests) override;
  void start() override { runs().start(); }
  void save(Requests& requests) override;
  [[nodiscard]] std::string why_not_save() const override;

 private:
  [[nodiscard]] HuntSession& hunts() const { return *state().hunts; }
  void draw_head(const views::Ui& ui, float width, Requests& requests);
  void draw_buttons(const views::Ui& ui, bool narrow, Requests& requests);
  void draw_map(const views::Ui& ui, float width, float height);
  void draw_cell_menu(const views::Ui& ui);
  void draw_side(const views::Ui& ui, const views::ViewContext& view, float height);
  void open_cell(std::size_t cell);
  void step_cell(int x, int y);
  void zoom(const spec::WorkloadSpec& center, double factor);

  views::MemoryView* memory_;
  std::optional<std::size_t> menu_cell_;  // the cell that the open menu belongs to
};

}  // namespace ts::app
