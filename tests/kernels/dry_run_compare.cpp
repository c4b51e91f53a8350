#include "tests/kernels/dry_run_compare.h"

#include "kernels/dry_run/dry_runner.h"

namespace ts::kernels {

std::string SeenEvent::text() const {
  return std::string(alloc ? "alloc " : "free  ") + std::to_string(size) + " " + op + " in " +
         module + ", phase " + std::to_string(static_cast<int>(phase)) + ", step " +
         std::to_string(step) + ", category " + std::to_string(static_cast<int>(category));
}

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
    }
    seen.push_back(std::move(out));
  }
  return seen;
}

std::vector<SeenEvent> without_explained(std::vector<SeenEvent> events) {
  std::erase_if(events, [](const SeenEvent& event) {
    return event.phase == base::Phase::backward && event.size <= 1024 &&
           ((event.op == "aten::empty" && event.module.empty()) ||
            event.op == "aten::_scaled_dot_product_flash_attention_for_cpu_backward");
  });
  return events;
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

void run_for_real(const run::WorkloadSpec& spec, int steps, RealRun& run) {
  auto prepared = engine().prepare(spec, kPlenty, &run.recorded.recorder, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  for (int step = 0; step < steps; ++step) {
    const auto times = (*prepared)->step(&run.recorded.recorder, step);
    ASSERT_TRUE(times) << times.error().sentence;
  }
  run.recorded.drain();
  ASSERT_EQ(run.recorded.recorder.dropped(), 0U);
  run.peak = run.recorded.memory.peak_bytes();
  run.parameters = (*prepared)->facts().parameters;
  run.backend = (*prepared)->facts().backend_ran;
}

run::DryRunner& dry_runner() {
  static TorchDryRunner runner;
  return runner;
}

}  // namespace ts::kernels
