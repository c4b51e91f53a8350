#include "core/checks/run_checks.h"

#include "core/checks/catalogue.h"
#include "core/text/message.h"

namespace ts::checks {

std::vector<report::CheckResult> of_run(const run::Run& run, const base::StringTable& strings) {
  const std::vector<report::CheckResult> told = report::checks_of(run, strings);
  std::vector<report::CheckResult> all;
  if (told.empty()) return all;
  auto next = told.begin();  // both lists are in the order of their ids
  for (const Check& check : catalogue()) {
    const auto begin = next;
    while (next != told.end() && std::string_view(next->id) == check.id) all.push_back(*next++);
    if (next != begin) continue;
    const base::Message title = report::title_of_check(check.id);
    all.push_back({.id = check.id,
                   .state = report::CheckState::unknown,
                   .found = text::message(check.unanswered),
                   .why = title,
                   .title = title});
  }
  return all;
}

}  // namespace ts::checks
