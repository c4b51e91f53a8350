#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "app/pages/page_view.h"
#include "app/session/predictions.h"
#include "views/charts/memory_overlay.h"

namespace ts::app {

// Two memory timelines over each other, on the page of A against B. Each side is chosen among the
// predictions of A and of B for the card, what the memory view shows, and what was kept of it. Main
// thread.
class MemoryPair {
 public:
  explicit MemoryPair(const PageServices& services) : services_(services) {}

  void draw(const views::Ui& ui, const PageArea& area, Requests& requests);

 private:
  struct Source {
    std::string id;  // stable: "a", "b", "shown", "kept1"
    std::string name;
    std::shared_ptr<const void> owner = {};      // of the log
    const memory::AllocationLog* log = nullptr;  // null: not known yet
    std::string why_not = {};                    // behind the name: the reason why there is no log
    [[nodiscard]] views::MemoryOverlay::Side side() const { return {name + why_not, log, owner}; }
  };
  static void take(const predict::Outlook* outlook, const spec::WorkloadSpec& spec,
                   const text::Texts& texts, Source& source);
  [[nodiscard]] std::vector<Source> sources(const views::Ui& ui);
  [[nodiscard]] Source prediction_of_b(const views::Ui& ui);
  void draw_choice(const views::Ui& ui, std::size_t side, const std::vector<Source>& all,
                   float width);
  void draw_menu(const views::Ui& ui, const std::array<Source, 2>& sides, views::Point size,
                 bool asked, Requests& requests);

  PageServices services_;
  std::array<std::string, 2> chosen_ = {"a", "b"};  // ids
  std::unique_ptr<Predictions> of_b_;
  views::OverlayCurves curves_;
};

}  // namespace ts::app
