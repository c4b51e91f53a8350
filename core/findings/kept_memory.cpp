#include "core/findings/kept_memory.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "core/findings/operators_of_run.h"
#include "core/memory/step_ends.h"

namespace ts::findings {
namespace {

bool has_owner(memory::Category category) {
  return category == memory::Category::parameter || category == memory::Category::gradient ||
         category == memory::Category::optimizer_state;
}

// By place: bytes of earlier steps that are alive at the end of each step.
struct Heap {
  std::vector<std::int64_t> bytes;
  bool activation = false;
};

std::map<base::StringId, Heap> heaps_of(const run::Run& run, const base::StringTable& strings,
                                        const std::vector<memory::EventIndex>& ends) {
  std::map<base::StringId, Heap> heaps;
  const auto phases = run.memory.phases();
  auto next = phases.begin();
  std::int32_t step = -1;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (; next != phases.end() && next->first_event <= ends[i]; ++next)
      step = std::max(step, next->step);
    for (const memory::BlockIndex index : run.memory.live_after(ends[i])) {
      const memory::Block& block = run.memory.blocks()[index];
      if (block.step < 0 || block.step >= step || has_owner(block.category)) continue;
      if (line_of(strings.view(block.module)).empty()) continue;
      Heap& heap = heaps[block.module];
      heap.bytes.resize(ends.size());
      heap.bytes[i] += block.size;
      heap.activation = block.category == memory::Category::activation;
    }
  }
  return heaps;
}

// Its bytes from the last step that has none. What runs between two steps counts as the later one,
// so its blocks are old a step later than others.
std::span<const std::int64_t> from_begin(const Heap& heap) {
  const auto first = std::ranges::find_if(heap.bytes, [](std::int64_t bytes) { return bytes > 0; });
  return {first == heap.bytes.begin() ? first : std::prev(first), heap.bytes.end()};
}

// True if more is alive after every one of at least `least` steps, which are most of all.
bool grows(const Heap& heap, std::size_t least) {
  const auto bytes = from_begin(heap);
  return bytes.size() >= std::max(least, heap.bytes.size() / 2) &&
         std::ranges::adjacent_find(bytes, std::ranges::greater_equal()) == bytes.end();
}

// "layers.0" of the parameter "layers.0.weight".
std::string_view owner_of(std::string_view parameter) {
  const std::size_t dot = parameter.rfind('.');
  return dot == std::string_view::npos ? parameter : parameter.substr(0, dot);
}

}  // namespace

std::vector<Pile> piles_of(const run::Run& run, const base::StringTable& strings,
                           std::size_t least) {
  const auto ends = memory::step_ends(run.memory);
  std::vector<Pile> piles;
  least = std::max<std::size_t>(least, 2);
  if (ends.size() < least) return piles;
  for (const auto& [place, heap] : heaps_of(run, strings, ends)) {
    if (!grows(heap, least)) continue;
    const auto bytes = from_begin(heap);
    const auto steps = static_cast<std::int64_t>(bytes.size() - 1);
    piles.push_back({std::string(line_of(strings.view(place))),
                     (bytes.back() - bytes.front()) / steps, heap.activation});
  }
  std::ranges::stable_sort(piles, std::ranges::greater(), &Pile::growth);
  return piles;
}

std::int64_t old_gradients(const run::Run& run) {
  const auto ends = memory::step_ends(run.memory);
  if (ends.size() < 3) return 0;
  std::int64_t bytes = 0;
  const std::int32_t last = run.memory.blocks().empty() ? 0 : run.memory.phases().back().step - 1;
  for (const memory::BlockIndex index : run.memory.live_after(ends.back())) {
    const memory::Block& block = run.memory.blocks()[index];
    if (block.category == memory::Category::gradient && block.step < last - 1) bytes += block.size;
  }
  return bytes;
}

std::string line_of_backward(const run::Run& run, const base::StringTable& strings) {
  // The gradient of the loss itself is made there; what follows has the lines of the forward.
  std::string line;
  std::int32_t step = -1;
  for (const memory::Block& block : run.memory.blocks()) {
    if (block.phase != base::Phase::backward || block.step == step) continue;
    step = block.step;
    line = line_of(strings.view(block.module));
  }
  return line;
}

PartBytes bytes_of_part(const run::Run& run, const base::StringTable& strings,
                        std::span<const std::string> inside) {
  const std::set<std::string, std::less<>> names(inside.begin(), inside.end());
  std::map<std::int32_t, std::int64_t> activations;    // by step
  std::map<std::string_view, std::int64_t> gradients;  // by parameter
  PartBytes part;
  for (const memory::Block& block : run.memory.blocks()) {
    const std::string_view place = strings.view(block.module);
    if (block.category == memory::Category::gradient) {
      if (names.contains(place) || names.contains(owner_of(place)))
        gradients[place] = std::max(gradients[place], block.size);
    } else if (block.category == memory::Category::activation && names.contains(module_of(place))) {
      activations[block.step] += block.size;
      if (part.line.empty()) part.line = line_of(place);
    }
  }
  for (const auto& [step, bytes] : activations)
    part.activations = std::max(part.activations, bytes);
  for (const auto& [name, bytes] : gradients) part.gradients += bytes;
  return part;
}

}  // namespace ts::findings
