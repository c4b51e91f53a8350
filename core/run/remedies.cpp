#include "core/run/remedies.h"

#include <array>

#include "core/run/efficiency.h"
#include "core/run/spec_fields.h"
#include "core/run/workload_math.h"

namespace ts::run {
namespace {

bool wide(DataType type) {
  return type == DataType::fp32 || type == DataType::tf32;
}

bool is_adamw(OptimizerKind kind) {
  return kind != OptimizerKind::sgd;
}

// Times that the bytes of the parameters are read or written by an update.
double optimizer_traffic(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::adamw_fused:
      return 7;  // reads p, g, m, v; writes p, m, v
    case OptimizerKind::adamw_foreach:
    case OptimizerKind::adamw_loop:
      return 18;  // operator by operator, but for the temporary, which is a block
    case OptimizerKind::sgd:
      return 3;  // reads p, g; writes p
  }
  return 0;
}

}  // namespace

const char* to_string(RemedyKind kind) {
  constexpr std::array kNames = {"flash",
                                 "efficient",
                                 "autocast_bf16",
                                 "bf16",
                                 "checkpoint_blocks",
                                 "smaller_batch",
                                 "fused_optimizer",
                                 "sgd",
                                 "expandable_segments"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Change> changes_for(const WorkloadSpec& spec, DeviceKind device) {
  std::vector<Change> changes;
  const auto offer = [&](RemedyKind kind, auto&& change) {
    WorkloadSpec changed = spec;
    changed.device = device;
    change(changed);
    if (!validate(changed).empty()) return;
    changed.device = spec.device;
    changes.push_back({kind, std::move(changed)});
  };
  const bool attends = field_applies(spec, Field::backend);
  const auto backend = [&](RemedyKind kind, AttentionBackend to) {
    if (!attends || spec.backend == to) return;
    offer(kind, [to](WorkloadSpec& changed) { changed.backend = to; });
  };
  backend(RemedyKind::flash, AttentionBackend::flash);
  backend(RemedyKind::efficient, AttentionBackend::efficient);
  if (wide(spec.dtype)) {
    if (spec.autocast == Autocast::off) {
      offer(RemedyKind::autocast_bf16,
            [](WorkloadSpec& changed) { changed.autocast = Autocast::bf16; });
    }
    offer(RemedyKind::bf16, [](WorkloadSpec& changed) {
      changed.dtype = DataType::bf16;
      changed.autocast = Autocast::off;
    });
  }
  if (field_applies(spec, Field::checkpoint) && spec.checkpoint != Checkpoint::blocks) {
    offer(RemedyKind::checkpoint_blocks, [](WorkloadSpec& changed) {
      changed.checkpoint = Checkpoint::blocks;
      changed.checkpoint_every = 1;
    });
  }
  if (field_applies(spec, Field::accumulate) && spec.batch % 2 == 0) {
    offer(RemedyKind::smaller_batch, [](WorkloadSpec& changed) {
      changed.batch /= 2;
      changed.accumulate *= 2;
    });
  }
  if (field_applies(spec, Field::optimizer) && is_adamw(spec.optimizer)) {
    if (spec.optimizer != OptimizerKind::adamw_fused) {
      offer(RemedyKind::fused_optimizer,
            [](WorkloadSpec& changed) { changed.optimizer = OptimizerKind::adamw_fused; });
    }
    offer(RemedyKind::sgd, [](WorkloadSpec& changed) { changed.optimizer = OptimizerKind::sgd; });
  }
  memory::AllocatorSettings settings = allocator_settings_of(spec);
  if (device == DeviceKind::cuda && !settings.expandable_segments) {
    settings.expandable_segments = true;
    offer(RemedyKind::expandable_segments,
          [&](WorkloadSpec& changed) { changed.alloc_conf = settings.to_string(); });
  }
  return changes;
}

std::optional<double> estimated_step_s(const DryRun& run, const Gpu& card) {
  const std::optional<double> tflops = peak_tflops(card, compute_type(run.spec));
  if (!tflops || card.bandwidth_gb_s <= 0) return std::nullopt;
  const Flops flops = step_flops(run.spec, backend_for_formulas(run.backend));
  double bytes = 0, parameters = 0;
  for (const memory::Block& block : run.log.blocks()) {
    const auto size = static_cast<double>(block.size);
    if (block.step == run.options.steps - 1) bytes += 2 * size;
    if (block.category == memory::Category::parameter) parameters += size;
  }
  bytes += parameters * (run.spec.pass == Pass::forward ? 1 : 3) *
           static_cast<double>(micro_batches(run.spec));
  if (run.spec.pass == Pass::full_step) bytes += parameters * optimizer_traffic(run.spec.optimizer);
  return flops.total() / (*tflops * 1e12) + bytes / (card.bandwidth_gb_s * 1e9);
}

}  // namespace ts::run
