#include "views/inspector/check_list.h"

#include <imgui.h>

#include <algorithm>

#include "core/checks/run_checks.h"
#include "core/text/numbers.h"
#include "views/charts/icons.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr const char* kPassedIcon = "\xef\x80\x8c";  // check mark

std::string check_text(const text::Texts& texts, const report::CheckResult& check) {
  return std::string(check.id) + "  " + message_text(texts, check.found);
}

void draw_check(const Ui& ui, const report::CheckResult& check) {
  const bool passed = check.state == report::CheckState::passed;
  const float left = ImGui::GetCursorPosX();
  if (check.state == report::CheckState::unknown) {
    wrapped_text(ui, TextStyle::small, ui.theme.text2,
                 std::string(check.id) + "  " + message_text(ui.texts, check.why) + ": " +
                     message_text(ui.texts, check.found));
    return;
  }
  const Color color = passed                                      ? ui.theme.ok
                      : check.state == report::CheckState::failed ? ui.theme.bad
                                                                  : ui.theme.warn;
  text(ui, TextStyle::body, color, passed ? kPassedIcon : icon::kWarning);
  ImGui::SameLine(left + ui.px(24));
  wrapped_text(ui, TextStyle::body, ui.theme.text, check_text(ui.texts, check));
  const std::string why = message_text(ui.texts, check.why);
  if (passed) {
    tooltip(ui, why);
    return;
  }
  ImGui::SetCursorPosX(left + ui.px(24));
  wrapped_text(ui, TextStyle::small, ui.theme.text2, why);
}

// A number was found, and it is not good.
bool is_open(const report::CheckResult& check) {
  return check.state == report::CheckState::noted || check.state == report::CheckState::failed;
}

void draw_folded(const Ui& ui, const std::vector<report::CheckResult>& checks,
                 report::CheckState state, const char* id, std::string_view title) {
  const auto count = std::ranges::count(checks, state, &report::CheckResult::state);
  if (count == 0 || !folded_section(ui, id, title, std::to_string(count))) return;
  for (const report::CheckResult& one : checks) {
    if (one.state == state) draw_check(ui, one);
  }
}

}  // namespace

const std::vector<report::CheckResult>& CheckList::of(const run::Run& run,
                                                      const base::StringTable& strings) {
  if (run_ != &run || id_ != run.id || finished_ != run.finished) {
    run_ = &run;
    id_ = run.id;
    finished_ = run.finished;
    checks_ = checks::of_run(run, strings);
  }
  return checks_;
}

std::size_t passed_checks(const std::vector<report::CheckResult>& checks) {
  return static_cast<std::size_t>(
      std::ranges::count(checks, report::CheckState::passed, &report::CheckResult::state));
}

std::size_t answered_checks(const std::vector<report::CheckResult>& checks) {
  return checks.size() - static_cast<std::size_t>(std::ranges::count(
                             checks, report::CheckState::unknown, &report::CheckResult::state));
}

std::string unpassed_text(const text::Texts& texts,
                          const std::vector<report::CheckResult>& checks) {
  std::string words;
  for (const report::CheckResult& one : checks) {
    if (!is_open(one)) continue;
    words += (words.empty() ? "" : "\n") + check_text(texts, one);
  }
  return words;
}

void draw_check_list(const Ui& ui, const std::vector<report::CheckResult>& checks) {
  if (checks.empty()) return;
  ImGui::Dummy({0, ui.px(6)});
  section(
      ui, ui.texts("inspector.checks"),
      ui.texts("inspector.checks_passed", {{"passed", std::to_string(passed_checks(checks))},
                                           {"count", std::to_string(answered_checks(checks))}}));
  for (const report::CheckResult& one : checks) {
    if (is_open(one)) draw_check(ui, one);
  }
  draw_folded(ui, checks, report::CheckState::passed, "###checks_passed",
              ui.texts("inspector.checks_rest"));
  draw_folded(ui, checks, report::CheckState::unknown, "###checks_unknown",
              ui.texts("inspector.checks_unknown"));
}

}  // namespace ts::views
