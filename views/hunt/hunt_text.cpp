#include "views/hunt/hunt_text.h"

#include <algorithm>
#include <string_view>

#include "core/predict/hunt_table.h"
#include "core/spec/spec_fields.h"
#include "core/text/numbers.h"
#include "views/common/spec_text.h"

namespace ts::views {

OneUnit hunt_unit(const predict::HuntMap& map, std::int64_t memory) {
  const char letter = predict::grid_unit(map, memory);
  OneUnit unit;
  unit.name = text::bytes_in(0, letter).unit;
  for (const char next : {'K', 'M', 'G'}) {
    if (letter == 'B') break;
    unit.size *= 1024;
    if (next == letter) break;
  }
  unit.whole = letter == 'B';
  return unit;
}

std::string hunt_size(const OneUnit& unit, std::int64_t bytes) {
  constexpr double kMost = 10'000;
  const auto size = static_cast<double>(bytes);
  return size / unit.size < kMost ? unit.joined(size) : text::bytes(bytes).joined();
}

std::string short_reason(const text::Texts& texts, const base::Message& reason) {
  constexpr std::string_view kPredicted = "prediction.";
  if (!reason.key.starts_with(kPredicted)) return message_text(texts, reason);
  return texts("hunt.log." + reason.key.substr(kPredicted.size()), reason.arguments);
}

namespace {

std::vector<std::string> reasons_of(const text::Texts& texts, const base::Message& reason) {
  std::vector<std::string> words = {short_reason(texts, reason)};
  const auto has = [&reason](std::string_view name) {
    return std::ranges::any_of(reason.arguments,
                               [name](const base::Argument& one) { return one.name == name; });
  };
  if (has("asked") && has("op")) words.push_back(texts("hunt.bisection_asked", reason.arguments));
  if (has("spare")) words.push_back(texts("hunt.bisection_spare", reason.arguments));
  if (has("missing")) words.push_back(texts("hunt.bisection_missing", reason.arguments));
  return words;
}

}  // namespace

std::vector<BisectionRow> bisection_rows(const predict::HuntProgress& hunt, std::int64_t y,
                                         const text::Texts& texts) {
  std::vector<BisectionRow> rows;
  if (!hunt.exact || hunt.exact->y != y) return rows;
  const OneUnit unit = hunt_unit(hunt.map, hunt.target.memory);
  for (const predict::HuntProbe& probe : hunt.exact->edge.probes) {
    rows.push_back({probe.at[0], probe.answer.fit, hunt_size(unit, probe.answer.needed),
                    reasons_of(texts, probe.answer.reason)});
  }
  return rows;
}

bool bisection_awaited(const predict::HuntProgress& hunt, std::int64_t y) {
  return hunt.running && hunt.obstacle.sentence.empty() && (!hunt.exact || hunt.exact->y != y);
}

std::string hunt_settings(const predict::HuntProgress& hunt, const text::Texts& texts) {
  const spec::WorkloadSpec& spec = hunt.map.base();
  std::string words = texts("controls.workload." + spec::field_text(spec, spec::Field::workload));
  for (const spec::Field field : {spec::Field::backend, spec::Field::dtype, spec::Field::pass}) {
    if (!spec::field_applies(spec, field)) continue;
    words += texts("memory.list_comma") + value_text(texts, field, spec::field_text(spec, field));
  }
  return words;
}

std::string hunt_state(const predict::HuntProgress& hunt, const text::Texts& texts) {
  if (!hunt.problem.empty()) return message_text(texts, hunt.problem);
  if (!hunt.obstacle.sentence.empty()) return {};
  const std::string time =
      text::duration_ns(hunt.frontier_after.value_or(hunt.seconds) * 1e9).joined();
  const std::string cells =
      text::grouped(hunt.map.size() - hunt.map.count(predict::CellState::impossible));
  const std::string probes = text::grouped(hunt.map.log().size());
  if (hunt.cancelled) return texts("hunt.cancelled", {{"probes", probes}, {"cells", cells}});
  if (!hunt.frontier_after) return texts("hunt.searching", {{"probes", probes}, {"cells", cells}});
  return texts(hunt.running ? "hunt.filling" : "hunt.complete",
               {{"probes", probes}, {"cells", cells}, {"time", time}});
}

}  // namespace ts::views
