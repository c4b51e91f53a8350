#include "core/findings/script_findings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/findings/operators_of_run.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::findings {
namespace {

using report::CheckResult;
using report::CheckState;

constexpr std::size_t kStepsOfReads = 3;

CheckResult finding(const char* id, base::Message found, const char* why) {
  return {id, CheckState::failed, std::move(found), text::message(why)};
}

std::string per_step(std::int64_t whole, std::size_t steps) {
  return text::duration_ns(static_cast<double>(whole) / static_cast<double>(steps)).joined();
}

// The last event of every step but the last one, which may not be whole.
std::vector<memory::EventIndex> step_ends(const memory::AllocationLog& log) {
  std::vector<memory::EventIndex> ends;
  std::int32_t step = -1;
  for (const memory::PhaseSpan& span : log.phases()) {
    if (span.step < 0 || span.step == step) continue;
    if (step >= 0 && span.first_event > 0) ends.push_back(span.first_event - 1);
    step = span.step;
  }
  return ends;
}

// Bytes alive at the ends of steps of blocks that one line made.
struct Pile {
  std::vector<std::int64_t> bytes;
  bool of_forward = false;
};
using Piles = std::map<std::string, Pile, std::less<>>;

bool has_owner(memory::Category category) {
  return category == memory::Category::parameter || category == memory::Category::gradient ||
         category == memory::Category::optimizer_state;
}

Piles piles_of(const run::Run& run, const base::StringTable& strings,
               const std::vector<memory::EventIndex>& ends) {
  Piles piles;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (const memory::BlockIndex index : run.memory.live_after(ends[i])) {
      const memory::Block& block = run.memory.blocks()[index];
      if (block.step < 0 || has_owner(block.category)) continue;
      const std::string_view line = line_of(strings.view(block.module));
      if (line.empty()) continue;
      Pile& pile = piles[std::string(line)];
      pile.bytes.resize(ends.size());
      pile.bytes[i] += block.size;
      pile.of_forward = block.category == memory::Category::activation;
    }
  }
  std::erase_if(piles, [](const auto& named) {
    const auto& bytes = named.second.bytes;
    return std::ranges::adjacent_find(bytes, std::ranges::greater_equal()) != bytes.end();
  });
  return piles;
}

std::int64_t growth_of(const Pile& pile) {
  return (pile.bytes.back() - pile.bytes.front()) /
         static_cast<std::int64_t>(pile.bytes.size() - 1);
}

void add_piles(const run::Run& run, const base::StringTable& strings,
               std::vector<CheckResult>& found) {
  const auto ends = step_ends(run.memory);
  if (ends.size() < kLeastSteps) return;
  const Piles piles = piles_of(run, strings, ends);
  const auto forward =
      std::ranges::count_if(piles, [](const auto& named) { return named.second.of_forward; });
  const auto largest = std::ranges::max_element(
      piles, {}, [](const auto& named) { return growth_of(named.second); });
  if (forward >= 2) {
    std::int64_t bytes = 0;
    for (const auto& [line, pile] : piles) bytes += pile.of_forward ? growth_of(pile) : 0;
    found.push_back(finding("F-1",
                            text::message("finding.graph", {{"bytes", text::bytes(bytes).joined()},
                                                            {"lines", std::to_string(forward)},
                                                            {"place", largest->first}}),
                            "finding.why.graph"));
    return;
  }
  for (const auto& [line, pile] : piles) {
    found.push_back(
        finding("F-2",
                text::message("finding.kept",
                              {{"bytes", text::bytes(growth_of(pile)).joined()}, {"place", line}}),
                "finding.why.kept"));
  }
}

// What one walk over all slices tells.
struct Reads {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
};
struct Seen {
  bool clears = false;  // zero_grad(), or a tensor set to zero
  std::map<std::string, Reads, std::less<>> reads;
  std::int64_t first_double_ns = INT64_MAX;
  std::string double_line;
  std::int64_t double_ns = 0;
  std::int64_t doubles = 0;
};

// A tensor set to zero by the script; torch.zeros() does so inside of itself.
bool clears(std::string_view name, std::string_view outer) {
  return name.find("zero_grad") != std::string_view::npos || name == "aten::_foreach_zero_" ||
         (name == "aten::zero_" && !outer.starts_with("aten::"));
}
bool converts(std::string_view name) {
  constexpr std::array kNames = {"aten::to",     "aten::_to_copy", "aten::copy_",
                                 "aten::detach", "aten::detach_",  "aten::lift_fresh",
                                 "aten::item",   "aten::select",   "aten::slice"};
  return std::ranges::find(kNames, name) != kNames.end();
}

void look_at(const run::Run& run, const base::StringTable& strings, const trace::Slice& slice,
             const trace::Slice* outer, Seen& seen) {
  const std::string_view name = strings.view(slice.name);
  if (clears(name, outer != nullptr ? strings.view(outer->name) : "")) seen.clears = true;
  const std::string_view line = line_of(strings.view(slice.module));
  if (line.empty()) return;
  if (name == "aten::item" && phase_at(run, slice.begin_ns) != base::Phase::optimizer) {
    Reads& reads = seen.reads[std::string(line)];
    ++reads.count;
    reads.total_ns += slice.duration_ns;
  }
  const auto doubles = [&](const trace::Slice& one) {
    return has_tensor_of(strings.view(one.detail), "fp64") && !converts(strings.view(one.name));
  };
  if (!doubles(slice) || (outer != nullptr && doubles(*outer))) return;
  seen.double_ns += slice.duration_ns;
  ++seen.doubles;
  if (slice.begin_ns >= seen.first_double_ns) return;
  seen.first_double_ns = slice.begin_ns;
  seen.double_line = line;
}

void add_reads(const Seen& seen, std::size_t steps, std::vector<CheckResult>& found) {
  if (steps < kStepsOfReads) return;
  for (const auto& [line, reads] : seen.reads) {
    if (reads.count < static_cast<std::int64_t>(steps)) continue;
    const auto count =
        (reads.count + static_cast<std::int64_t>(steps) / 2) / static_cast<std::int64_t>(steps);
    found.push_back(
        finding("F-4",
                text::message("finding.reads", {{"count", text::grouped(count)},
                                                {"time", per_step(reads.total_ns, steps)},
                                                {"place", line}}),
                "finding.why.reads"));
  }
}

// The line of the script that began the last backward.
std::string line_of_backward(const run::Run& run, const base::StringTable& strings) {
  for (std::size_t i = run.memory.blocks().size(); i-- > 0;) {
    const memory::Block& block = run.memory.blocks()[i];
    const std::string_view place = strings.view(block.module);
    if (block.phase == base::Phase::backward && place.starts_with("@ "))
      return std::string(line_of(place));
  }
  return {};
}

// Bytes of gradients that are older than the step before the last.
std::int64_t old_gradients(const run::Run& run, const std::vector<memory::EventIndex>& ends) {
  std::int64_t bytes = 0;
  const auto last = static_cast<std::int32_t>(ends.size()) - 1;
  for (const memory::BlockIndex index : run.memory.live_after(ends.back())) {
    const memory::Block& block = run.memory.blocks()[index];
    if (block.category == memory::Category::gradient && block.step < last - 1) bytes += block.size;
  }
  return bytes;
}

void add_gradients(const run::Run& run, const base::StringTable& strings, const Seen& seen,
                   std::vector<CheckResult>& found) {
  const auto ends = step_ends(run.memory);
  if (seen.clears || ends.size() < kStepsOfReads) return;
  const std::int64_t bytes = old_gradients(run, ends);
  if (bytes == 0) return;
  found.push_back(
      finding("F-3",
              text::message("finding.gradients", {{"bytes", text::bytes(bytes).joined()},
                                                  {"place", line_of_backward(run, strings)}}),
              "finding.why.gradients"));
}

}  // namespace

std::vector<CheckResult> of_script(const run::Run& run, const base::StringTable& strings) {
  std::vector<CheckResult> found;
  if (run.script.empty()) return found;
  const std::size_t steps = run.recorded_steps.size();
  Seen seen;
  for_each_slice(run, [&](const trace::Slice& slice, const trace::Slice* outer) {
    look_at(run, strings, slice, outer, seen);
  });
  add_piles(run, strings, found);
  add_gradients(run, strings, seen, found);
  add_reads(seen, steps, found);
  if (seen.doubles > 0) {
    const std::size_t parts = std::max<std::size_t>(steps, 1);
    found.push_back(
        finding("F-5",
                text::message("finding.doubles", {{"count", text::grouped(seen.doubles)},
                                                  {"time", per_step(seen.double_ns, parts)},
                                                  {"place", seen.double_line}}),
                "finding.why.doubles"));
  }
  return found;
}

}  // namespace ts::findings
