#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "app/pages/page_view.h"
#include "views/sweep/comparison_view.h"
#include "views/sweep/sweep_controls.h"
#include "views/sweep/sweep_view.h"

namespace ts::app {

// The page of a sweep: its axes and settings, its charts and table, and two points side by side.
class SweepPage : public PageView {
 public:
  using PageView::PageView;

  void update() override;
  void draw(const views::Ui& ui, Requests& requests) override;
  void draw_sheets(const views::Ui& ui) override;
  bool close_sheet() override;
  // Pauses or resumes the sweep; begins the one that the page offers if there is nothing to do.
  void start() override;
  // Begins the sweep that the page offers, whatever was measured before.
  void begin_new() { begin(views::SweepAsk::start); }
  void save(Requests& requests) override;
  [[nodiscard]] std::string why_not_save() const override;

  // Shows the journal in that folder, and this page.
  void open(const std::filesystem::path& folder);

 private:
  [[nodiscard]] SweepSession& sweeps() const { return *state().sweeps; }
  [[nodiscard]] views::SweepPage shown();
  void begin(views::SweepAsk ask);
  void take_exercise();
  void carry_out(const views::SweepRequests& asked, Requests& requests);
  void open_point(std::size_t point);
  void take_opened_point();
  void compare_points(std::size_t a, std::size_t b);
  void draw_comparison(const views::Ui& ui);

  views::OfferedSweep offered_;
  bool show_comparison_ = false;
  views::ComparisonPage comparison_;
};

}  // namespace ts::app
