#pragma once

#include <future>
#include <optional>

#include "app/pages/workspace_state.h"
#include "app/session/session.h"
#include "core/advice/tree_evidence.h"
#include "views/trees/tree_view.h"

namespace ts::app {

// The sheet of decision trees: walks them with what the window has for the current settings (run,
// comparison, sweep, predictions), or with the trace that is shown. Main thread; predictions come
// from a thread of their own.
class TreeSheet {
 public:
  void draw(const views::Ui& ui, Session& session, WorkspaceState& state);
  // More predictions will arrive.
  [[nodiscard]] bool busy() const { return job_.valid(); }
  void choose(std::size_t tree) { view_.choose(tree); }

 private:
  // The inputs of the evidence, which is made again when one of them changes.
  struct Key {
    std::optional<spec::WorkloadSpec> spec;
    run::RunId run = 0;  // 0: none that ended well
    const void* comparison = nullptr;
    const void* sweep = nullptr;
    std::size_t points = 0;  // measured, of the sweep
    int file = 0;            // a trace on screen; 0: none
    bool predicted = false;  // the predictions are of these settings
    friend bool operator==(const Key&, const Key&) = default;
  };
  [[nodiscard]] Key key_of(const Session& session, const WorkspaceState& state) const;
  void collect(Session& session, const WorkspaceState& state, const Key& key);
  void predict(const Session& session, const spec::WorkloadSpec& spec);

  bool for_card_ = false;  // the settings of a CPU are asked about on their card
  std::optional<Key> key_;
  advice::Evidence evidence_;
  advice::Evidence predictions_;  // documents of the settings in it
  std::future<advice::Evidence> job_;
  views::TreeView view_;
};

}  // namespace ts::app
