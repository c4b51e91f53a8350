#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/checks.h"
#include "views/common/ui.h"

namespace ts::views {

// The checks of the run on screen, looked at once after it has ended. UI thread.
class CheckList {
 public:
  const std::vector<report::CheckResult>& of(const run::Run& run, const base::StringTable& strings);

 private:
  const run::Run* run_ = nullptr;
  run::RunId id_ = 0;
  bool finished_ = false;
  std::vector<report::CheckResult> checks_;
};

std::size_t passed_checks(const std::vector<report::CheckResult>& checks);
std::size_t answered_checks(const std::vector<report::CheckResult>& checks);  // all but the unknown

// Those that did not pass with what they found and why it matters; below them, folded, those that
// did, and those that are unknown with the reason. In the current Dear ImGui window.
void draw_check_list(const Ui& ui, const std::vector<report::CheckResult>& checks);

// One line for each check that did not pass: "C-3 First timed step ...".
std::string unpassed_text(const text::Texts& texts, const std::vector<report::CheckResult>& checks);

}  // namespace ts::views
