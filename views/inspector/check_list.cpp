#include "views/inspector/check_list.h"

#include <imgui.h>

#include <algorithm>

#include "core/text/numbers.h"
#include "views/charts/icons.h"
#include "views/common/spec_words.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr const char* kPassedIcon = "\xef\x80\x8c";  // check mark

std::string check_words(const text::Texts& texts, const report::CheckResult& check) {
  return std::string(check.id) + "  " + message_words(texts, check.found);
}

void draw_check(const Ui& ui, const report::CheckResult& check) {
  const bool passed = check.state == report::CheckState::passed;
  const Color color = passed                                      ? ui.theme.ok
                      : check.state == report::CheckState::failed ? ui.theme.bad
                                                                  : ui.theme.warn;
  const float left = ImGui::GetCursorPosX();
  text(ui, TextStyle::body, color, passed ? kPassedIcon : icon::kWarning);
  ImGui::SameLine(left + ui.px(24));
  wrapped_text(ui, TextStyle::body, ui.theme.text, check_words(ui.texts, check), ui.px(16));
  const std::string why = message_words(ui.texts, check.why);
  if (passed) {
    tooltip(ui, why);
    return;
  }
  ImGui::SetCursorPosX(left + ui.px(24));
  wrapped_text(ui, TextStyle::small, ui.theme.text2, why, ui.px(16));
}

}  // namespace

const std::vector<report::CheckResult>& CheckList::of(const run::Run& run,
                                                      const base::StringTable& strings) {
  if (run_ != &run || id_ != run.id || finished_ != run.finished) {
    run_ = &run;
    id_ = run.id;
    finished_ = run.finished;
    checks_ = report::checks_of(run, strings);
  }
  return checks_;
}

std::size_t passed_checks(const std::vector<report::CheckResult>& checks) {
  return static_cast<std::size_t>(
      std::ranges::count(checks, report::CheckState::passed, &report::CheckResult::state));
}

std::string unpassed_words(const text::Texts& texts,
                           const std::vector<report::CheckResult>& checks) {
  std::string words;
  for (const report::CheckResult& one : checks) {
    if (one.state == report::CheckState::passed) continue;
    words += (words.empty() ? "" : "\n") + check_words(texts, one);
  }
  return words;
}

void draw_check_list(const Ui& ui, const std::vector<report::CheckResult>& checks) {
  if (checks.empty()) return;
  const std::size_t passed = passed_checks(checks);
  ImGui::Dummy({0, ui.px(6)});
  section(ui, ui.texts("inspector.checks"),
          ui.texts("inspector.checks_passed",
                   {{"passed", std::to_string(passed)}, {"count", std::to_string(checks.size())}}));
  for (const report::CheckResult& one : checks) {
    if (one.state != report::CheckState::passed) draw_check(ui, one);
  }
  if (passed == 0 || !folded_section(ui, "###checks_passed", ui.texts("inspector.checks_rest"),
                                     std::to_string(passed))) {
    return;
  }
  for (const report::CheckResult& one : checks) {
    if (one.state == report::CheckState::passed) draw_check(ui, one);
  }
}

}  // namespace ts::views
