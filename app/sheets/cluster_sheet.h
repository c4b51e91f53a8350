#pragma once

#include <memory>

#include "app/pages/workspace_state.h"
#include "app/session/session.h"
#include "core/cluster/cluster_hunter.h"
#include "views/calculate/cluster_view.h"
#include "views/controls/controls_view.h"

namespace ts::app {

// The sheet of the smallest cluster, for the settings and the target card of the window. Main
// thread; the search is on a thread of its own, which starts with the first one.
class ClusterSheet {
 public:
  void draw(const views::Ui& ui, Session& session, const WorkspaceState& state,
            const views::ControlsContext& controls);
  void cancel();
  // More will arrive.
  [[nodiscard]] bool busy() const { return hunter_ != nullptr && hunter_->busy(); }

 private:
  void ask(Session& session, const spec::WorkloadSpec& spec);

  std::unique_ptr<cluster::ClusterHunter> hunter_;
  views::ClusterView view_;
  base::Message refused_;  // why the last question was none; empty: it was one
};

}  // namespace ts::app
