#include "tests/kernels/dry_run_compare.h"

#include <algorithm>
#include <tuple>

#include "kernels/engine/dry_runner.h"

namespace ts::kernels {

std::string SeenEvent::text() const {
  return std::string(alloc ? "alloc " : "free  ") + std::to_string(size) + " " + op + " in " +
         module + ", phase " + std::to_string(static_cast<int>(phase)) + ", step " +
         std::to_string(step) + ", category " + std::to_string(static_cast<int>(category));
}

namespace {

// LibTorch keeps the weights that autocast cast in a hash table by address and lets go of all at
// its end, which with checkpoints is in the backward, too: in no order.
void sort_cast_weights(std::vector<SeenEvent>& events) {
  const auto is_one = [](const SeenEvent& event) {
    return !event.alloc && event.op == "aten::_to_copy" &&
           (event.phase == base::Phase::forward || event.phase == base::Phase::loss ||
            event.phase == base::Phase::backward);
  };
  for (auto begin = events.begin(); begin != events.end();) {
    begin = std::find_if(begin, events.end(), is_one);
    const auto end = std::find_if_not(begin, events.end(), is_one);
    std::sort(begin, end, [](const SeenEvent& a, const SeenEvent& b) {
      return std::tie(a.module, a.size) < std::tie(b.module, b.size);
    });
    begin = end;
  }
}

// Scratch: nothing but scratch came and went while it lived.
bool freed_at_once(const memory::AllocationLog& log, const memory::Block& block) {
  if (block.free_event == memory::kNone) return false;
  for (memory::EventIndex i = block.alloc_event; i < block.free_event; ++i) {
    const memory::Event& event = log.events()[i];
    if (event.block == memory::kNone) return false;
    if (log.blocks()[event.block].op != block.op) return false;
  }
  return true;
}

}  // namespace

std::vector<SeenEvent> seen_events(const memory::AllocationLog& log,
                                   const base::StringTable& strings) {
  std::vector<SeenEvent> seen;
  for (const memory::Event& event : log.events()) {
    SeenEvent out;
    out.alloc = event.action == memory::Action::alloc;
    if (event.block != memory::kNone) {
      const memory::Block& block = log.blocks()[event.block];
      out.size = block.size;
      out.op = strings.view(block.op);
      out.module = strings.view(block.module);
      out.category = block.category;
      out.phase = block.phase;
      out.step = block.step;
      out.short_lived = freed_at_once(log, block);
    }
    seen.push_back(std::move(out));
  }
  return seen;
}

std::vector<SeenEvent> without_explained(std::vector<SeenEvent> events) {
  sort_cast_weights(events);
  std::erase_if(events, [](const SeenEvent& event) {
    if (event.phase != base::Phase::backward) return false;
    // On a pool thread the buffer's own operator is the outermost, and scratch has none.
    if (event.module.empty() && (event.op.empty() || event.op == "aten::empty")) return true;
    return event.short_lived &&
           event.op == "aten::_scaled_dot_product_flash_attention_for_cpu_backward";
  });
  return events;
}

std::int64_t explained_bytes(const memory::AllocationLog& log, const base::StringTable& strings) {
  std::int64_t bytes = 0, most = 0;
  for (const memory::Event& event : log.events()) {
    if (event.block == memory::kNone) continue;
    const memory::Block& block = log.blocks()[event.block];
    if (strings.view(block.op) != "aten::_scaled_dot_product_flash_attention_for_cpu_backward" ||
        !freed_at_once(log, block)) {
      continue;
    }
    bytes += event.action == memory::Action::alloc ? block.size : -block.size;
    most = std::max(most, bytes);
  }
  return most;
}

std::string first_difference(const std::vector<SeenEvent>& predicted,
                             const std::vector<SeenEvent>& measured) {
  std::size_t at = 0;
  while (at < predicted.size() && at < measured.size() && predicted[at].same(measured[at])) ++at;
  if (at == predicted.size() && at == measured.size()) return {};
  constexpr std::size_t kBefore = 3, kAfter = 12;
  std::string text = "They part at event " + std::to_string(at) + " of " +
                     std::to_string(predicted.size()) + " predicted and " +
                     std::to_string(measured.size()) + " measured";
  for (const auto* list : {&predicted, &measured}) {
    text += list == &predicted ? "\npredicted:" : "\nmeasured:";
    for (std::size_t i = at < kBefore ? 0 : at - kBefore; i < at + kAfter && i < list->size();
         ++i) {
      text += "\n  " + std::to_string(i) + (i == at ? " > " : "   ") + (*list)[i].text();
    }
  }
  return text;
}

std::string try_for_real(const spec::WorkloadSpec& spec, int steps, RealRun& run) {
  auto prepared = engine().prepare(spec, kPlenty, &run.recorded.recorder, {});
  if (!prepared) return prepared.error().sentence;
  for (int step = 0; step < steps; ++step) {
    const auto times = (*prepared)->step(&run.recorded.recorder, step);
    if (!times) return times.error().sentence;
  }
  run.recorded.drain();
  if (run.recorded.recorder.dropped() > 0) return "Records were dropped";
  run.peak = run.recorded.memory.peak_bytes();
  run.parameters = (*prepared)->facts().parameters;
  run.backend = (*prepared)->facts().backend_ran;
  run.types = (*prepared)->facts().types;
  return {};
}

void run_for_real(const spec::WorkloadSpec& spec, int steps, RealRun& run) {
  ASSERT_EQ(try_for_real(spec, steps, run), "");
}

predict::DryRunner& dry_runner() {
  static TorchDryRunner runner;
  return runner;
}

}  // namespace ts::kernels
