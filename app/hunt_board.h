#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "app/session.h"
#include "core/run/hunt_progress.h"
#include "views/hunt/hunt_controls.h"

namespace ts::app {

// The hunt of the window: the map of the settings as they are, and which of its cells were run for
// real. Shared by the window and by the pictures made of it. Main thread.
class HuntBoard {
 public:
  // `folder`: where saved maps go; empty: nothing can be saved.
  explicit HuntBoard(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

  // Every frame: notes a run that has ended, and takes what the hunt has found.
  void update(Session& session);
  // While the map is shown: begins a hunt when something other than the two sizes has changed.
  void follow(Session& session, const run::WorkloadSpec& spec, const views::HuntDraft& draft);
  // Begins the hunt once more the next time it is followed.
  void restart() { asked_.reset(); }

  // Null before the first answer, and after a change until the new hunt has begun.
  [[nodiscard]] const run::HuntProgress* progress() const { return progress_.get(); }
  // The map with the runs in it; only when there is progress.
  [[nodiscard]] const run::HuntMap& map() const { return *map_; }
  // The settings of a cell, all else as in `spec`.
  [[nodiscard]] run::WorkloadSpec spec_of(std::size_t cell, const run::WorkloadSpec& spec) const;
  [[nodiscard]] std::optional<std::size_t> cell_of(const run::WorkloadSpec& spec) const;

  // Writes hunt.json, hunt.csv and hunt.md into a new folder; that folder.
  base::Result<std::filesystem::path> save() const;

 private:
  struct Asked {
    run::WorkloadSpec spec;  // with the sizes of the axes at their low ends
    views::HuntDraft draft;
  };
  struct Confirmation {
    run::WorkloadSpec spec;
    run::HuntCell::Run run;
  };
  void note_run(const Session& session);
  void make_map();

  std::filesystem::path folder_;
  std::optional<Asked> asked_;
  std::uint64_t shown_after_ = 0;  // hunts up to this one are those of earlier settings
  std::shared_ptr<const run::HuntProgress> progress_;
  std::optional<run::HuntMap> map_;
  std::vector<Confirmation> runs_;
  run::RunId last_run_ = 0;
};

// hunt.json, hunt.csv and hunt.md of a map. The first that cannot be written ends it.
base::Result<void> write_hunt_files(const std::filesystem::path& folder, const run::HuntMap& map,
                                    const run::PredictionTarget& target);

}  // namespace ts::app
