#include "core/findings/seen_operators.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/findings/operators_of_run.h"

namespace ts::findings {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// A tensor set to zero by the script; torch.zeros() does so inside of itself.
bool clears(std::string_view name, std::string_view outer) {
  if (name.find("zero_grad") != std::string_view::npos || name == "aten::_foreach_zero_")
    return true;
  return name == "aten::zero_" && !outer.starts_with("aten::");
}

// Fills, converts or moves a tensor, or looks at a part of it.
bool moves(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"aten::to",         "aten::_to_copy",   "aten::copy_",        "aten::detach",
       "aten::detach_",    "aten::lift_fresh", "aten::item",         "aten::select",
       "aten::slice",      "aten::stack",      "aten::cat",          "aten::view",
       "aten::reshape",    "aten::unsqueeze",  "aten::squeeze",      "aten::transpose",
       "aten::permute",    "aten::unbind",     "aten::index_select", "aten::index",
       "aten::contiguous", "aten::clone",      "aten::narrow",       "aten::expand",
       "aten::as_strided", "aten::alias",      "aten::is_nonzero",   "aten::_local_scalar_dense",
       "aten::t",          "aten::flatten",    "aten::empty_like",   "aten::resolve_conj",
       "aten::fill_",      "aten::zero_",      "aten::normal_",      "aten::uniform_",
       "aten::random_"});
  return is_one_of(name, kNames);
}

// The range in which Python makes the text of a tensor (python/tensorscope/_recording.py).
constexpr std::string_view kPrinted = "Tensor.__repr__";

class Walk {
 public:
  Walk(const run::Run& run, const base::StringTable& strings) : run_(run), strings_(strings) {}

  SeenOperators take() {
    for_each_slice(run_, [this](const trace::Slice& slice, const trace::Slice*) {
      if (slice.flow != 0) ++ends_of_flow_[slice.flow];
      if (strings_.view(slice.name) == kPrinted) printed_.push_back({slice});
    });
    std::ranges::sort(printed_, {}, [](const Printed& one) { return one.slice.begin_ns; });
    for_each_slice(run_, [this](const trace::Slice& slice, const trace::Slice* outer) {
      look_at(slice, outer);
    });
    const auto of_optimizer = [this](const auto& line) { return optimizer_.contains(line.first); };
    std::erase_if(seen_.reads, of_optimizer);
    std::erase_if(seen_.prints, of_optimizer);
    for (const std::string& line : unpacks_) {
      if (const auto found = integers_.find(line); found != integers_.end())
        leave_out(seen_.reads, line, found->second);
    }
    return std::move(seen_);
  }

 private:
  static void leave_out(Lines& lines, const std::string& line, std::int64_t count) {
    const auto found = lines.find(line);
    if (found == lines.end()) return;
    found->second.count -= count;
    if (found->second.count <= 0) lines.erase(found);
  }
  void note(Lines& lines, std::string_view line, const trace::Slice& slice) {
    LineUse& use = lines[std::string(line)];
    ++use.count;
    use.total_ns += slice.duration_ns;
    use.steps.insert(step_at(run_, slice.begin_ns));
  }
  // The text of a tensor that is being made then, or null.
  struct Printed {
    trace::Slice slice;
    bool read = false;  // a number of it was
  };
  Printed* printed_at(std::int64_t time_ns) {
    const auto after = std::ranges::upper_bound(
        printed_, time_ns, {}, [](const Printed& one) { return one.slice.begin_ns; });
    if (after == printed_.begin()) return nullptr;
    Printed& one = *std::prev(after);
    return time_ns < one.slice.begin_ns + one.slice.duration_ns ? &one : nullptr;
  }
  void note_read(const trace::Slice& slice, std::string_view line) {
    if (Printed* const printed = printed_at(slice.begin_ns); printed != nullptr) {
      if (!printed->read) note(seen_.prints, line, printed->slice);
      printed->read = true;
      return;
    }
    note(seen_.reads, line, slice);
    if (strings_.view(slice.detail).find(" int") != std::string_view::npos)
      ++integers_[std::string(line)];
  }
  bool computes_doubles(const trace::Slice& slice) const {
    return has_tensor_of(strings_.view(slice.detail), "fp64") && !moves(strings_.view(slice.name));
  }
  // Scalars of floating point: "[] fp32, [] fp32".
  bool sums(const trace::Slice& slice) const {
    const std::string_view name = strings_.view(slice.name);
    return (name == "aten::add_" || name == "aten::add") &&
           strings_.view(slice.detail).starts_with("[] ") && slice.flow != 0 &&
           ends_of_flow_.at(slice.flow) == 1;
  }
  void look_at(const trace::Slice& slice, const trace::Slice* outer) {
    const std::string_view name = strings_.view(slice.name);
    // In set-up weights are set to zero, too.
    if (clears(name, outer != nullptr ? strings_.view(outer->name) : "") &&
        step_at(run_, slice.begin_ns) >= 0)
      seen_.clears = true;
    const std::string_view place = strings_.view(slice.module);
    const std::string_view line = line_of(place);
    if (line.empty()) return;
    if (phase_at(run_, slice.begin_ns) == base::Phase::optimizer) {
      optimizer_.emplace(line);
    } else if (name == "aten::item") {
      note_read(slice, line);
    }
    if (name == "aten::unbind" || name == "aten::select") unpacks_.emplace(line);
    if (sums(slice)) note(seen_.sums, line, slice);
    // Text is made of numbers in fp64.
    if (printed_at(slice.begin_ns) != nullptr) return;
    if (!computes_doubles(slice) || (outer != nullptr && computes_doubles(*outer))) return;
    if (step_at(run_, slice.begin_ns) < 0) return;
    note(seen_.doubles, line, slice);
    if (slice.begin_ns >= first_double_ns_) return;
    first_double_ns_ = slice.begin_ns;
    seen_.first_double = line;
  }

  const run::Run& run_;
  const base::StringTable& strings_;
  SeenOperators seen_;
  std::unordered_map<std::uint32_t, int> ends_of_flow_;
  std::vector<Printed> printed_;                  // by their begin
  std::set<std::string, std::less<>> optimizer_;  // lines from which an optimizer runs
  std::set<std::string, std::less<>> unpacks_;    // lines that take tensors apart
  std::map<std::string, std::int64_t, std::less<>> integers_;
  std::int64_t first_double_ns_ = INT64_MAX;
};

}  // namespace

SeenOperators see_operators(const run::Run& run, const base::StringTable& strings) {
  return Walk(run, strings).take();
}

}  // namespace ts::findings
