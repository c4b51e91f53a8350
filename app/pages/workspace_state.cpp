#include "app/pages/workspace_state.h"

#include <utility>

namespace ts::app {

std::filesystem::path WorkspaceState::save_folder() const {
  return preferences.save_folder.empty() ? default_save_folder : preferences.save_folder;
}

void WorkspaceState::choose_save_folder(const std::filesystem::path& chosen) {
  preferences.save_folder = chosen;
  sweeps->set_folder(save_folder());
  hunts->set_folder(save_folder());
  lessons->set_folder(save_folder());
}

bool same_work(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b) {
  spec::WorkloadSpec same = b;
  same.target_gpu = a.target_gpu;
  same.alloc_conf = a.alloc_conf;
  return a == same;
}

void WorkspaceState::keep_view(run::RunId id, KeptView kept) {
  kept_views.insert_or_assign(id, std::move(kept));
  // Runs count up and files count down from the end: the first is the oldest run.
  if (kept_views.size() > kMostKeptViews) kept_views.erase(kept_views.begin());
}

void WorkspaceState::keep_memory(KeptMemory kept) {
  kept.number = kept_memory.empty() ? 1 : kept_memory.back().number + 1;
  kept_memory.push_back(std::move(kept));
  if (kept_memory.size() > kMostKeptMemory) kept_memory.erase(kept_memory.begin());
}

const views::Theme& theme_of(const Preferences& preferences) {
  return views::theme(preferences.projector ? views::ThemeKind::light : preferences.theme);
}

}  // namespace ts::app
