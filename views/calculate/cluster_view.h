#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/cluster/cluster_hunter.h"
#include "views/common/ui.h"

namespace ts::views {

// The smallest cluster on which the settings fit: what connects the cards, the search with its
// progress, and a row for each way of sharing. Keeps what was chosen. UI thread.
class ClusterView {
 public:
  struct Shown {
    const cluster::LinkCatalogue& links;
    std::string card;
    const cluster::ClusterHunt* hunt = nullptr;  // null: nothing was asked yet
    bool busy = false;
    base::Message problem = {};  // why nothing can be asked now; else empty
    const spec::WorkloadSpec& settings;
    std::function<void(float width)> draw_select;  // of the card
  };
  struct Answer {
    bool ask = false;
    bool cancel = false;
  };
  Answer draw(const Ui& ui, const Shown& shown);

  [[nodiscard]] const cluster::WiringChoice& wiring() const { return choice_.wiring; }
  [[nodiscard]] std::int64_t most() const { return choice_.most; }

 private:
  void draw_choices(const Ui& ui, const Shown& shown);
  void draw_buttons(const Ui& ui, const Shown& shown, Answer& answer);

  struct Choice {
    cluster::WiringChoice wiring;
    std::int64_t most = 64;
    bool operator==(const Choice&) const = default;
  };
  Choice choice_;
  Choice asked_;  // that of the newest search
};

}  // namespace ts::views
