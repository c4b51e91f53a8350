#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "app/pages/requests.h"
#include "app/pages/workspace_state.h"
#include "core/loader/lab_thread.h"
#include "views/calculate/loader_view.h"

namespace ts::app {

// The sheet where images and tokens are loaded. Main thread; loading is on threads of its own,
// which start with the first question.
class LoaderSheet {
 public:
  // Returns a trace that was written and is to be opened.
  std::optional<std::filesystem::path> draw(const views::Ui& ui, const WorkspaceState& state,
                                            Requests& requests);
  void cancel() {
    if (work_ != nullptr) work_->cancel();
  }
  // More will arrive.
  [[nodiscard]] bool busy() const { return work_ != nullptr && work_->busy(); }

 private:
  std::unique_ptr<loader::LabThread> work_;
  views::LoaderView view_;
  base::Message problem_;  // why the last trace was not written; empty: it was
};

}  // namespace ts::app
