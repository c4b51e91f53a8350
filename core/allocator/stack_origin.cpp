#include "core/allocator/stack_origin.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/contains.h"

namespace ts::allocator {
namespace {

// "at::_ops::addmm::call(at::Tensor const&, ...)" is addmm; empty for other functions.
std::string_view aten_operator(std::string_view function) {
  constexpr std::string_view kPrefix = "at::_ops::";
  const std::size_t at = function.find(kPrefix);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = function.substr(at + kPrefix.size());
  return rest.substr(0, rest.find("::"));
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string python_line(std::string_view file, std::int64_t line, std::string_view function) {
  return std::string(file_name(file)) + ":" + std::to_string(line) + " " + std::string(function);
}

// Reads frames written by our own runs; returns false for PyTorch's frames.
bool read_own(std::string_view kind, const Frame& frame, std::string_view name,
              StackOrigin& origin) {
  if (kind == "operator") {
    origin.op = frame.name;
  } else if (kind == "module") {
    // The innermost module frame has the whole path.
    if (origin.module == base::kNoString) origin.module = frame.name;
  } else if (kind == "step") {
    constexpr std::int64_t kMostSteps = 1'000'000'000;
    if (frame.line >= 0 && frame.line < kMostSteps) {
      origin.step = static_cast<std::int32_t>(frame.line);
    }
  } else if (kind == "phase") {
    for (std::size_t i = 0; i < base::kPhaseNames.size(); ++i) {
      if (name == base::kPhaseNames[i]) origin.phase = static_cast<base::Phase>(i);
    }
  } else {
    return false;
  }
  return true;
}

// Whether a line of Python loads, moves or fills a module.
bool loads_module(std::string_view name, std::string_view file) {
  if (base::contains(file, "/torch/nn/init.py") || base::contains(file, "/safetensors/"))
    return true;
  constexpr std::array<std::string_view, 5> kNames{
      "_apply", "load_state_dict", "_load_from_state_dict", "reset_parameters", "from_pretrained"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// at::cuda::getNewWorkspace() and those that call it or come instead of it.
bool asks_for_workspace(std::string_view function) {
  return base::contains(function, "getNewWorkspace(") ||
         base::contains(function, "BlasLtWorkspace") ||
         base::contains(function, "getCurrentCUDABlasHandle(");
}

constexpr std::string_view kAt = "@ ";

}  // namespace

PlaceParts parts_of_place(std::string_view place) {
  const std::size_t at = place.starts_with(kAt) ? 0 : place.rfind(" @ ");
  const std::size_t colon = place.rfind(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon < at)
    return {place, {}};
  PlaceParts parts;
  parts.module = place.substr(0, at);
  const std::size_t file = place.find(kAt, at) + kAt.size();
  parts.line.file = place.substr(file, colon - file);
  const char* const end = place.data() + place.size();
  if (std::from_chars(place.data() + colon + 1, end, parts.line.number).ptr != end)
    return {place, {}};
  return parts;
}

std::string place_text(std::string_view module, SourceLine line) {
  std::string words(module);
  words += words.empty() ? "" : " ";
  return words.append(kAt).append(line.file) + ":" + std::to_string(line.number);
}

const StackOrigin& StackOrigins::of(StackIndex stack) {
  if (stack == memory::kNone) return none_;
  if (stack >= known_.size()) {
    known_.resize(snapshot_.stacks.stack_count());
    origins_.resize(snapshot_.stacks.stack_count());
  }
  if (!known_[stack]) {
    origins_[stack] = read(stack);
    known_[stack] = true;
  }
  return origins_[stack];
}

StackOrigin StackOrigins::read(StackIndex stack) const {
  StackOrigin origin;
  std::string_view op;
  bool python = false;  // a line of Python was found, so the operator it called is known
  bool constructor = false;
  bool ours = false;  // of our own runs: it tells the module, and maybe the line in it
  SourceLine source;
  std::string own_line;
  std::string torch_line;
  for (const FrameIndex index : snapshot_.stacks.stack(stack)) {
    const Frame& frame = snapshot_.stacks.frame(index);
    const std::string_view name = snapshot_.text(frame.name);
    const std::string_view file = snapshot_.text(frame.filename);
    if (read_own(file, frame, name, origin)) {
      ours = true;
      continue;
    }
    if (file.ends_with(".py")) {
      python = true;
      const bool of_torch = base::contains(file, "/torch/");
      std::string& line = of_torch ? torch_line : own_line;
      if (line.empty()) line = python_line(file, frame.line, name);
      if (!of_torch && source.number == 0) source = {file, frame.line};
      // A call, not what makes or moves a module.
      if (name == "_call_impl" && base::contains(file, "/torch/nn/modules/"))
        origin.in_module = true;
      constructor = constructor || name == "__init__";
      origin.makes_module |= !origin.in_module && loads_module(name, file);
      if (base::contains(file, "/torch/optim/")) origin.phase = base::Phase::optimizer;
      // An operator of one's own, or a backward on the thread that calls it.
      const bool engine =
          name == "_engine_run_backward" && base::contains(file, "/torch/autograd/");
      if (engine || (!of_torch && name == "backward")) origin.phase = base::Phase::backward;
      continue;
    }
    if (const std::string_view found = aten_operator(name); !python && !found.empty()) op = found;
    if (base::contains(name, "torch::autograd::Engine::")) origin.phase = base::Phase::backward;
    origin.workspace = origin.workspace || asks_for_workspace(name);
  }
  origin.python = python;
  // A call constructs caches, masks and outputs.
  origin.makes_module |= constructor && !origin.in_module;
  base::StringTable& strings = *snapshot_.strings;
  if (!op.empty()) origin.op = strings.intern("aten::" + std::string(op));
  const std::string& line = own_line.empty() ? torch_line : own_line;
  if (ours && source.number > 0) {
    origin.module = strings.intern(place_text(strings.view(origin.module), source));
  } else if (!line.empty()) {
    origin.module = strings.intern(line);
  }
  return origin;
}

}  // namespace ts::allocator
