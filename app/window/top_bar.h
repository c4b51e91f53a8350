#pragma once

#include <optional>
#include <string>

#include "app/pages/page_view.h"
#include "app/pages/pages.h"
#include "app/window/bar_plan.h"
#include "app/window/window_actions.h"
#include "core/report/run_estimate.h"
#include "views/common/ui.h"

namespace ts::app {

// The bar above everything: menus, tabs of the pages, run and Live, target card, devices, language
// and projector. Main thread.
class TopBar {
 public:
  TopBar(const PageServices& services, Pages& pages, WindowActions& actions)
      : services_(services), pages_(&pages), actions_(&actions) {}

  // Without the target card on the projector, whose page has a field for it.
  void draw(const views::Ui& ui, Requests& requests);

 private:
  void draw_menus(const views::Ui& ui, Requests& requests);
  void draw_one_menu(const views::Ui& ui, Requests& requests);
  void draw_menu_items(const views::Ui& ui, const char* id, Requests& requests);
  void draw_action(const views::Ui& ui, Action action, Requests& requests);
  void draw_runs_menu(const views::Ui& ui);
  void draw_recent_menu(const views::Ui& ui, Requests& requests);
  void draw_demo_menu(const views::Ui& ui);
  void draw_page_tabs(const views::Ui& ui);
  void draw_run_and_live(const views::Ui& ui, const BarParts& parts);
  void draw_language_and_projector(const views::Ui& ui, bool labels);
  [[nodiscard]] BarParts parts_of(const views::Ui& ui, const std::string& device) const;
  [[nodiscard]] const char* run_key() const;
  [[nodiscard]] std::string run_text() const;
  [[nodiscard]] std::optional<report::RunEstimate> estimate() const;
  [[nodiscard]] std::string device_names() const;
  [[nodiscard]] std::string short_device_names() const;

  PageServices services_;
  Pages* pages_;
  WindowActions* actions_;
};

}  // namespace ts::app
