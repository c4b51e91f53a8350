#include "core/findings/script_findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/findings/kept_memory.h"
#include "core/findings/seen_operators.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::findings {
namespace {

using report::CheckResult;
using report::CheckState;

constexpr std::size_t kStepsOfReads = 3;
// Fewer bytes a step than that are no mistake: scalars of losses in a list.
constexpr std::int64_t kLeastGrowth = 1024;
// A loss or two of earlier steps may be held for a purpose, such as the best one.
constexpr std::int64_t kLeastGraphs = 3;

std::string as_text(std::int64_t bytes) {
  return text::bytes(bytes).joined();
}

class Findings {
 public:
  Findings(const run::Run& run, const base::StringTable& strings)
      : run_(run), strings_(strings), seen_(see_operators(run, strings)) {}

  std::vector<CheckResult> take() {
    add_kept();
    add_gradients();
    if (steps() >= kStepsOfReads) {
      add_reads("finding.reads", seen_.reads);
      add_reads("finding.prints", seen_.prints);
      add_doubles();
    }
    for (const auto& part : run_.notes.idle_parts) add_idle(part);
    return std::move(found_);
  }

 private:
  void add(const char* id, base::Message found, const char* why,
           CheckState state = CheckState::failed) {
    found_.push_back({id, state, std::move(found), text::message(why)});
  }
  [[nodiscard]] std::size_t steps() const { return run_.recorded_steps.size(); }

  void add_kept() {
    auto piles = piles_of(run_, strings_, kLeastSteps);
    std::erase_if(piles, [](const Pile& pile) { return pile.growth < kLeastGrowth; });
    // One operator may have made it without a graph; a graph holds results of several.
    const auto of_graph = std::ranges::count_if(piles, &Pile::activation);
    if (of_graph >= 2) {
      // The inputs that a line makes for its graph are kept by that.
      std::set<std::string> lines_of_graph;
      for (const Pile& pile : piles)
        if (pile.activation) lines_of_graph.insert(pile.line);
      for (Pile& pile : piles) pile.activation = lines_of_graph.contains(pile.line);
      add_graph(piles);
      std::erase_if(piles, &Pile::activation);
    } else if (run_.notes.kept_graphs >= kLeastGraphs) {
      add("F-1",
          text::message("finding.loss_graph", {{"count", text::grouped(run_.notes.kept_graphs)},
                                               {"place", line_of_sum()}}),
          "finding.why.graph");
    }
    std::map<std::string, std::int64_t> lines;
    for (const Pile& pile : piles) lines[pile.line] += pile.growth;
    for (const auto& [line, growth] : lines) {
      add("F-2", text::message("finding.kept", {{"bytes", as_text(growth)}, {"place", line}}),
          "finding.why.kept");
    }
  }
  void add_graph(const std::vector<Pile>& piles) {
    std::int64_t bytes = 0;
    for (const Pile& pile : piles) bytes += pile.activation ? pile.growth : 0;
    const auto largest = std::ranges::find_if(piles, &Pile::activation);
    add("F-1",
        text::message("finding.graph", {{"bytes", as_text(bytes)}, {"place", largest->line}}),
        "finding.why.graph");
  }
  // The line that adds up losses, else that of the backward.
  [[nodiscard]] std::string line_of_sum() const {
    for (const auto& [line, use] : seen_.sums) {
      if (2 * use.steps.size() >= steps()) return line;
    }
    return line_of_backward(run_, strings_);
  }

  void add_gradients() {
    if (seen_.clears) return;
    const std::int64_t bytes = old_gradients(run_);
    if (bytes == 0) return;
    add("F-3",
        text::message("finding.gradients",
                      {{"bytes", as_text(bytes)}, {"place", line_of_backward(run_, strings_)}}),
        "finding.why.gradients");
  }

  void add_reads(const char* found, const Lines& lines) {
    for (const auto& [line, use] : lines) {
      if (use.steps.size() + 1 < steps() || use.steps.size() < kStepsOfReads) continue;
      add("F-4",
          text::message(found, {{"count", each_step(use.count, use.steps.size())},
                                {"time", time_each_step(use.total_ns, use.steps.size())},
                                {"place", line}}),
          "finding.why.reads");
    }
  }

  void add_doubles() {
    LineUse all;
    for (const auto& [line, use] : seen_.doubles) {
      all.count += use.count;
      all.total_ns += use.total_ns;
      all.steps.insert(use.steps.begin(), use.steps.end());
    }
    if (2 * all.steps.size() < steps() || all.count == 0) return;
    add("F-5",
        text::message("finding.doubles", {{"count", each_step(all.count, all.steps.size())},
                                          {"time", time_each_step(all.total_ns, all.steps.size())},
                                          {"place", seen_.first_double}}),
        "finding.why.doubles");
  }

  void add_idle(const run::ScriptNotes::IdlePart& part) {
    const PartBytes bytes = bytes_of_part(run_, strings_, part.inside);
    if (bytes.activations + bytes.gradients == 0 || steps() < kStepsOfReads) return;
    const std::string place = bytes.line.empty() ? line_of_backward(run_, strings_) : bytes.line;
    if (part.gradients && bytes.activations == 0) {
      // A layer whose inputs alone are kept: these are blocks of what made them.
      add("F-6",
          text::message(
              "finding.unchanged_gradients",
              {{"gradients", as_text(bytes.gradients)}, {"module", part.module}, {"place", place}}),
          "finding.why.unchanged");
    } else if (part.gradients) {
      add("F-6",
          text::message("finding.unchanged", {{"activations", as_text(bytes.activations)},
                                              {"gradients", as_text(bytes.gradients)},
                                              {"module", part.module},
                                              {"place", place}}),
          "finding.why.unchanged");
    } else {
      add("F-6",
          text::message("finding.frozen", {{"activations", as_text(bytes.activations)},
                                           {"module", part.module},
                                           {"place", place}}),
          "finding.why.frozen", CheckState::noted);
    }
  }

  static std::string each_step(std::int64_t whole, std::size_t steps) {
    const auto parts = static_cast<std::int64_t>(steps);
    return text::grouped(std::max<std::int64_t>(1, (whole + parts / 2) / parts));
  }
  static std::string time_each_step(std::int64_t whole_ns, std::size_t steps) {
    return text::duration_ns(static_cast<double>(whole_ns) / static_cast<double>(steps)).joined();
  }

  const run::Run& run_;
  const base::StringTable& strings_;
  const SeenOperators seen_;
  std::vector<CheckResult> found_;
};

}  // namespace

std::vector<CheckResult> of_script(const run::Run& run, const base::StringTable& strings) {
  if (run.script.empty()) return {};
  return Findings(run, strings).take();
}

}  // namespace ts::findings
