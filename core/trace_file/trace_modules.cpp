#include "core/trace_file/trace_modules.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ts::trace_file {
namespace {

constexpr std::string_view kPrefix = "nn.Module: ";

// By id of a name: whether it is that of a module.
std::vector<bool> module_names(const base::StringTable& strings, bool& any) {
  std::vector<bool> is(strings.size());
  for (base::StringId id = 0; id < is.size(); ++id) {
    is[id] = is_module_call(strings.view(id));
    any = any || is[id];
  }
  return is;
}

// By event that is a backward: the event of its forward.
std::unordered_map<std::uint32_t, std::uint32_t> forwards_of(std::span<const AutogradEnd> ends) {
  std::unordered_map<std::uint32_t, std::uint32_t> forward_of_flow;
  std::unordered_map<std::uint32_t, std::uint32_t> of;
  for (const AutogradEnd& end : ends)
    if (end.forward) forward_of_flow.try_emplace(end.flow, end.event);
  for (const AutogradEnd& end : ends) {
    const auto forward = forward_of_flow.find(end.flow);
    if (!end.forward && forward != forward_of_flow.end())
      of.try_emplace(end.event, forward->second);
  }
  return of;
}

class ModuleGiver {
 public:
  ModuleGiver(TraceFile& file, std::span<const AutogradEnd> ends, std::vector<bool> names)
      : file_(file), names_(std::move(names)), forwards_(forwards_of(ends)) {
    open_.resize(file.tracks.size());
  }

  void give() {
    for (std::uint32_t i = 0; i < file_.events.size(); ++i) {
      Event& event = file_.events[i];
      if (is_on_host(event.kind)) visit(i, event);
    }
  }

 private:
  // An event that gives its module to all that runs inside it.
  struct Open {
    std::int64_t end_ns = 0;
    base::StringId path = base::kNoString;
  };

  static bool is_on_host(EventKind kind) { return kind <= EventKind::runtime; }

  void visit(std::uint32_t index, Event& event) {
    std::vector<Open>& open = open_[event.track];
    while (!open.empty() && open.back().end_ns <= event.begin_ns) open.pop_back();
    const base::StringId around = open.empty() ? base::kNoString : open.back().path;
    if (event.kind == EventKind::python) {
      if (!names_[event.name]) return;
      event.module = path_of(event, around);
      open.push_back({event.end_ns(), event.module});
    } else if (event.module == base::kNoString) {
      event.module = around;
      const auto forward = forwards_.find(index);
      if (forward == forwards_.end()) return;
      event.module = file_.events[forward->second].module;
      open.push_back({event.end_ns(), event.module});
    }
  }

  // Modules are numbered in each process.
  base::StringId path_of(const Event& event, base::StringId around) {
    const auto key =
        std::pair<std::string_view, base::StringId>(file_.tracks[event.track].process, event.name);
    const auto first = first_.find(key);
    if (around == base::kNoString && first != first_.end()) return first->second;
    const auto [known, fresh] = paths_.try_emplace({around, event.name}, base::kNoString);
    if (fresh) {
      std::string path(file_.strings->view(around));
      if (!path.empty()) path += '.';
      path += file_.strings->view(event.name).substr(kPrefix.size());
      known->second = file_.strings->intern(path);
    }
    first_.try_emplace(key, known->second);
    return known->second;
  }

  TraceFile& file_;
  std::vector<bool> names_;
  std::unordered_map<std::uint32_t, std::uint32_t> forwards_;
  std::vector<std::vector<Open>> open_;  // by track
  std::map<std::pair<base::StringId, base::StringId>, base::StringId> paths_;
  std::map<std::pair<std::string_view, base::StringId>, base::StringId> first_;
};

}  // namespace

bool is_module_call(std::string_view name) {
  return name.starts_with(kPrefix) && name.size() > kPrefix.size();
}

void give_modules(TraceFile& file, std::span<const AutogradEnd> ends) {
  bool any = false;
  std::vector<bool> names = module_names(*file.strings, any);
  if (any) ModuleGiver(file, ends, std::move(names)).give();
}

}  // namespace ts::trace_file
