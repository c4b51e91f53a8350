#include "core/trace_file/trace_phases.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "core/base/letters.h"
#include "core/trace_file/trace_modules.h"

namespace ts::trace_file {
namespace {

using base::Phase;

// The meaning of an event's name. A range lasts as long as its event; parts are joined.
struct Told {
  Phase phase = Phase::idle;  // idle: none
  bool is_part = false;
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::optional<Phase> phase_of_word(std::string_view word) {
  const auto is = [&](std::string_view name) { return base::same_letters(word, name); };
  if (is("forward") || is("fwd")) return Phase::forward;
  if (is("backward") || is("bwd")) return Phase::backward;
  if (is("optimizer")) return Phase::optimizer;
  if (is("loss")) return Phase::loss;
  return std::nullopt;
}

// "autograd::engine::evaluate_function: MulBackward0", "MulBackward0",
// "torch::autograd::AccumulateGrad"
bool is_autograd_node(std::string_view name) {
  if (name.starts_with("autograd::engine::") || name.starts_with("torch::autograd::")) return true;
  constexpr std::string_view kEnd = "Backward";
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.ends_with(kEnd) && name.find("::") == std::string_view::npos;
}

// Fused kernels of torch.compile are named for the operators in them.
bool is_range(std::string_view name) {
  return name.find("::") == std::string_view::npos && !name.starts_with("triton_");
}

// Each name is looked at once.
class Names {
 public:
  explicit Names(const base::StringTable& strings) : strings_(strings) {
    known_.resize(strings.size());
    read_for_.resize(strings.size(), EventKind::other);
  }
  Told of(const Event& event) {
    Told& known = known_[event.name];
    if (read_for_[event.name] == event.kind) return known;
    read_for_[event.name] = event.kind;
    known = read(event.kind, strings_.view(event.name));
    return known;
  }

 private:
  static Told read(EventKind kind, std::string_view name) {
    if (kind == EventKind::annotation) return {phase_of_range(name).value_or(Phase::idle)};
    if (kind == EventKind::python) return {is_module_call(name) ? Phase::forward : Phase::idle};
    if (is_autograd_node(name)) return {Phase::backward, true};
    // Profilers before 2021 write a range as an operator.
    return {is_range(name) ? phase_of_range(name).value_or(Phase::idle) : Phase::idle};
  }

  const base::StringTable& strings_;
  std::vector<Told> known_;
  std::vector<EventKind> read_for_;
};

// A phase that an event tells.
struct Stretch {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  Told told;
};

// Takes the events of all threads in their order. On each thread what lies inside a backward, or in
// another event of the same phase, tells nothing new.
class Stretches {
 public:
  Stretches(const TraceFile& file, const std::vector<AutogradEnd>& ends)
      : file_(file), names_(*file.strings), linked_(file.events.size(), Phase::idle) {
    for (const AutogradEnd& end : ends)
      linked_[end.event] = end.forward ? Phase::forward : Phase::backward;
    open_.resize(file.tracks.size());
  }

  std::vector<Stretch> take() {
    for (std::uint32_t i = 0; i < file_.events.size(); ++i) {
      const Event& event = file_.events[i];
      if (event.kind <= EventKind::python && event.duration_ns > 0) visit(i, event);
    }
    return std::move(all_);
  }
  // How many processes tell a phase.
  [[nodiscard]] std::size_t processes() const { return processes_.size(); }

 private:
  Told stated_by(std::uint32_t index, const Event& event) {
    const Told told = names_.of(event);
    if (told.phase != Phase::idle || linked_[index] == Phase::idle) return told;
    return {linked_[index], true};
  }

  void visit(std::uint32_t index, const Event& event) {
    const Told told = stated_by(index, event);
    if (told.phase == Phase::idle) return;
    auto& open = open_[event.track];
    while (!open.empty() && open.back().end_ns <= event.begin_ns) open.pop_back();
    for (const Stretch& around : open)
      if (around.told.phase == told.phase || around.told.phase == Phase::backward) return;
    open.push_back({event.begin_ns, event.end_ns(), told});
    all_.push_back(open.back());
    processes_.insert(file_.tracks[event.track].process);
  }

  const TraceFile& file_;
  Names names_;
  std::vector<Phase> linked_;               // by event
  std::vector<std::vector<Stretch>> open_;  // by track
  std::vector<Stretch> all_;
  std::set<std::string_view> processes_;
};

// Parts of one phase that follow each other become one; so do those that overlap.
std::vector<Stretch> joined(const std::vector<Stretch>& all) {
  std::vector<Stretch> out;
  for (const Stretch& one : all) {
    Stretch* const last = out.empty() ? nullptr : &out.back();
    const bool same = last != nullptr && last->told.phase == one.told.phase;
    if (same && ((last->told.is_part && one.told.is_part) || one.begin_ns <= last->end_ns)) {
      last->end_ns = std::max(last->end_ns, one.end_ns);
    } else {
      out.push_back(one);
    }
  }
  return out;
}

// One phase at a time: that of the stretch that began last among those that have not ended.
class Cutter {
 public:
  std::vector<PhaseSpan> cut(const std::vector<Stretch>& all) {
    for (const Stretch& one : all) {
      go_to(one.begin_ns);
      open_.push_back(one);
    }
    go_to(std::numeric_limits<std::int64_t>::max());
    return std::move(spans_);
  }

 private:
  void go_to(std::int64_t time_ns) {
    while (!open_.empty()) {
      const Stretch& top = open_.back();
      const std::int64_t end_ns = std::min(top.end_ns, time_ns);
      if (end_ns > now_ns_) add({std::max(now_ns_, top.begin_ns), end_ns, top.told.phase});
      now_ns_ = std::max(now_ns_, end_ns);
      if (top.end_ns > time_ns) break;
      open_.pop_back();
    }
    now_ns_ = std::max(now_ns_, time_ns);
  }
  void add(const PhaseSpan& span) {
    if (!spans_.empty() && spans_.back().phase == span.phase &&
        spans_.back().end_ns == span.begin_ns) {
      spans_.back().end_ns = span.end_ns;
    } else if (span.end_ns > span.begin_ns) {
      spans_.push_back(span);
    }
  }

  std::vector<Stretch> open_;
  std::vector<PhaseSpan> spans_;
  std::int64_t now_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace

std::optional<base::Phase> phase_of_range(std::string_view name) {
  std::optional<Phase> phase;
  for (auto at = name.begin(); at != name.end();) {
    at = std::find_if(at, name.end(), is_letter);
    const auto end = std::find_if_not(at, name.end(), is_letter);
    const auto told = phase_of_word({at, end});
    at = end;
    if (!told || (phase && *told == Phase::loss)) continue;
    if (phase && *phase != Phase::loss && *told != *phase) return std::nullopt;
    phase = told;
  }
  return phase;
}

std::vector<PhaseSpan> phase_spans(const TraceFile& file, const std::vector<AutogradEnd>& ends) {
  Stretches stretches(file, ends);
  const std::vector<Stretch> all = stretches.take();
  if (stretches.processes() > 1) return {};
  return Cutter().cut(joined(all));
}

}  // namespace ts::trace_file
