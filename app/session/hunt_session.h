#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/output/save_parts.h"
#include "app/session/session.h"
#include "core/files/saved_session.h"
#include "core/predict/hunt_progress.h"
#include "views/hunt/hunt_controls.h"

namespace ts::app {

// The hunt of the window: the map for the current settings, and which of its cells were run for
// real. Shared by the window and its pictures. Main thread.
class HuntSession {
 public:
  // `folder`: the parent of saved maps; empty: nothing can be saved.
  explicit HuntSession(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}
  void set_folder(const std::filesystem::path& folder) { folder_ = folder; }

  // Call every frame: records a finished run, and takes new results of the hunt.
  void update(Session& session);
  // Call while the map is shown. Starts a hunt when a setting other than the two sizes has changed,
  // or when one of these has no row or column yet; then only new cells are computed. In another row
  // of the same map, requests the exact edge there.
  void follow(Session& session, const spec::WorkloadSpec& spec, const views::HuntEdit& edit);
  // Starts the hunt again at the next follow().
  void restart() { asked_.reset(); }

  // The reason why the frontier cannot be confirmed by real runs, as a key of the locale files;
  // null when it can be.
  [[nodiscard]] const char* confirm_problem(const Session& session,
                                            const spec::WorkloadSpec& spec) const;
  // Runs both sides of the frontier for real on the device, under the map's memory, one cell after
  // the other with nothing left of the one before; update() continues it. Cells that were run
  // before are not run again.
  void confirm();
  void stop_confirming(Session& session);
  // The number of cells to run, and how many of them are done; empty when there are none to run.
  struct Confirming {
    std::size_t done = 0;
    std::size_t all = 0;
  };
  [[nodiscard]] std::optional<Confirming> confirming() const;

  // Null before the first result, and after a change until the new hunt has started.
  [[nodiscard]] const predict::HuntProgress* progress() const { return progress_.get(); }
  // The shown map is of the settings before the last change: the new one has not started.
  [[nodiscard]] bool outdated() const {
    return progress_ != nullptr && progress_->id <= shown_after_;
  }
  // The name of the second frontier: a backend; empty without one.
  [[nodiscard]] std::string other_name() const;
  // The map with the real runs; only when there is progress.
  [[nodiscard]] const predict::HuntMap& map() const { return *map_; }
  // The settings of a cell, all others as in `spec`.
  [[nodiscard]] spec::WorkloadSpec spec_of(std::size_t cell, const spec::WorkloadSpec& spec) const;
  [[nodiscard]] std::optional<std::size_t> cell_of(const spec::WorkloadSpec& spec) const;

  // The cells that were run for real, as a session has them, and those of one.
  [[nodiscard]] std::vector<files::SavedHunt::Run> confirmed() const;
  void restore(const std::vector<files::SavedHunt::Run>& runs);

  // Writes the files of write_hunt_files() into a new folder and returns it.
  base::Result<std::filesystem::path> save(const SaveParts& parts) const;

 private:
  struct Asked {
    spec::WorkloadSpec spec;  // with the sizes of the axes at their low ends
    views::HuntEdit edit;
    std::vector<std::int64_t> x_values, y_values;  // the columns and rows of its map
    predict::HuntRequest request;
  };
  struct Confirmation {
    spec::WorkloadSpec spec;
    predict::HuntCell::Run run;
    spec::DeviceKind device = spec::DeviceKind::cpu;  // the device it ran on
  };
  struct Round {
    std::uint64_t hunt = 0;  // the hunt of this frontier
    std::vector<std::size_t> cells;
    std::size_t next = 0;
    run::RunId id = 0;  // the run of the current cell; 0: none
  };
  [[nodiscard]] std::vector<std::size_t> cells_to_confirm() const;
  void go_on_confirming(Session& session);
  void ask_for_row(Session& session, std::int64_t row);
  void note_run(const Session& session);
  void remember(Confirmation confirmation);
  void make_map();

  std::filesystem::path folder_;
  std::optional<Asked> asked_;
  std::uint64_t shown_after_ = 0;  // hunts up to this one have earlier settings
  std::shared_ptr<const predict::HuntProgress> progress_;
  std::optional<predict::HuntMap> map_;
  std::vector<Confirmation> runs_;
  run::RunId last_run_ = 0;
  std::optional<Round> round_;
};

// "attention, B x T on RTX 4090 (24.0 GiB), predicted by dry runs."
std::string hunt_caption(const predict::HuntMap& map, const predict::PredictionTarget& target);

// The settings that a map holds fixed, as --set takes them: type, backend and pass, and what
// differs from the workload's defaults. "dtype=bf16 backend=naive pass=full_step d_model=768".
std::string hunt_settings(const predict::HuntMap& map);

// Whose memory a map shows.
struct HuntSubject {
  std::string caption, settings;  // as above
  nlohmann::json spec;
};
HuntSubject subject_of(const predict::HuntMap& map, const predict::PredictionTarget& target);

// Writes hunt.json of a map, and with the tables hunt.csv, hunt.md and hunt.tex. Stops at the first
// that cannot be written.
base::Result<void> write_hunt_files(const std::filesystem::path& folder,
                                    const predict::HuntMap& map,
                                    const predict::PredictionTarget& target,
                                    const HuntSubject& subject, const SaveParts& parts = {});

}  // namespace ts::app
