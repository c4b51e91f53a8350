#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "app/pages/workspace_state.h"
#include "app/ranks/rank_session.h"
#include "app/session/session.h"
#include "core/calculate/inputs.h"
#include "views/common/ui.h"

namespace ts::app {

// The sheet where several ranks run the settings of the window: their number and how they exchange
// at the left; at the right how far they are, then what each of them took and each collective. Main
// thread; the ranks are processes that a thread of RankSession waits for.
class RanksSheet {
 public:
  RanksSheet();
  // Returns the timeline of all ranks when it is to be opened.
  std::optional<std::filesystem::path> draw(const views::Ui& ui, Session& session,
                                            const WorkspaceState& state);
  void cancel() {
    if (ranks_ != nullptr) ranks_->cancel();
  }
  [[nodiscard]] bool busy() const { return ranks_ != nullptr && ranks_->busy(); }

 private:
  void draw_choices(const views::Ui& ui);
  // Returns whether the timeline is asked for.
  bool draw_buttons(const views::Ui& ui, Session& session, const WorkspaceState& state,
                    const RankAnswer* known);
  void draw_progress(const views::Ui& ui, const RankAnswer& known);
  void draw_results(const views::Ui& ui, const RankAnswer& known);
  [[nodiscard]] run::World world() const;
  [[nodiscard]] RankRun request(const WorkspaceState& state) const;
  [[nodiscard]] base::Message why_not(const Session& session, const spec::WorkloadSpec& spec) const;

  calculate::Chosen numbers_;
  base::Message refused_;  // why the last typed number was not taken; empty: it was
  run::Shard shard_ = run::Shard::none;
  run::Compression compression_ = run::Compression::none;
  std::unique_ptr<RankSession> ranks_;
};

}  // namespace ts::app
