#include "core/predict/remedies.h"

#include <array>

#include "core/report/efficiency.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"

namespace ts::predict {
namespace {

bool wide(spec::DataType type) {
  return type == spec::DataType::fp32 || type == spec::DataType::tf32;
}

// How often an update reads or writes the bytes of the parameters.
double optimizer_traffic(spec::OptimizerKind kind) {
  switch (kind) {
    case spec::OptimizerKind::adamw_fused:
      return 7;  // reads p, g, m, v; writes p, m, v
    case spec::OptimizerKind::adamw_foreach:
    case spec::OptimizerKind::adamw_loop:
      return 18;  // operator by operator, without the temporary, which is a block
    case spec::OptimizerKind::adamw_out_of_place:
      return 33;  // the same, with a tensor for every product, root and quotient
    case spec::OptimizerKind::adamw_8bit:
      return 4;  // in fp32: reads p, g; writes p; reads and writes a byte of m and of v
    case spec::OptimizerKind::sgd:
      return 3;  // reads p, g; writes p
  }
  return 0;
}

}  // namespace

const char* to_string(RemedyKind kind) {
  constexpr std::array kNames = {"flash",
                                 "efficient",
                                 "tiled",
                                 "automatic",
                                 "autocast_bf16",
                                 "bf16",
                                 "checkpoint_blocks",
                                 "adapters",
                                 "smaller_batch",
                                 "fused_optimizer",
                                 "moments_8bit",
                                 "sgd",
                                 "expandable_segments"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Change> changes_for(const spec::WorkloadSpec& spec, spec::DeviceKind device) {
  std::vector<Change> changes;
  const auto offer = [&](RemedyKind kind, auto&& change) {
    spec::WorkloadSpec changed = spec;
    changed.device = device;
    change(changed);
    if (!spec::validate(changed).empty()) return;
    changed.device = spec.device;
    changes.push_back({kind, std::move(changed)});
  };
  const bool attends = spec::field_applies(spec, spec::Field::backend);
  const auto backend = [&](RemedyKind kind, spec::AttentionBackend to) {
    if (!attends || spec.backend == to) return;
    offer(kind, [to](spec::WorkloadSpec& changed) { changed.backend = to; });
  };
  backend(RemedyKind::flash, spec::AttentionBackend::flash);
  backend(RemedyKind::efficient, spec::AttentionBackend::efficient);
  backend(RemedyKind::tiled, spec::AttentionBackend::tiled);
  backend(RemedyKind::automatic, spec::AttentionBackend::automatic);
  if (wide(spec.dtype)) {
    if (spec.autocast == spec::Autocast::off) {
      offer(RemedyKind::autocast_bf16,
            [](spec::WorkloadSpec& changed) { changed.autocast = spec::Autocast::bf16; });
    }
    offer(RemedyKind::bf16, [](spec::WorkloadSpec& changed) {
      changed.dtype = spec::DataType::bf16;
      changed.autocast = spec::Autocast::off;
    });
  }
  if (spec::field_applies(spec, spec::Field::checkpoint) &&
      spec.checkpoint != spec::Checkpoint::blocks) {
    offer(RemedyKind::checkpoint_blocks, [](spec::WorkloadSpec& changed) {
      changed.checkpoint = spec::Checkpoint::blocks;
      changed.checkpoint_every = 1;
    });
  }
  if (spec::field_applies(spec, spec::Field::lora_rank) && spec::has_backward(spec.pass) &&
      spec.lora_rank == 0) {
    offer(RemedyKind::adapters, [](spec::WorkloadSpec& changed) {
      changed.lora_rank = 16;
      changed.lora_on = changed.fused_qkv ? spec::LoraOn::qkvo : spec::LoraOn::qv;
      changed.lora_merged = false;
    });
  }
  if (spec::field_applies(spec, spec::Field::accumulate) &&
      spec::field_applies(spec, spec::Field::B) && spec.batch % 2 == 0) {
    offer(RemedyKind::smaller_batch, [](spec::WorkloadSpec& changed) {
      changed.batch /= 2;
      changed.accumulate *= 2;
    });
  }
  const bool updates = spec::field_applies(spec, spec::Field::optimizer);
  if (updates && spec::is_plain_adamw(spec.optimizer)) {
    if (spec.optimizer != spec::OptimizerKind::adamw_fused) {
      offer(RemedyKind::fused_optimizer, [](spec::WorkloadSpec& changed) {
        changed.optimizer = spec::OptimizerKind::adamw_fused;
      });
    }
    offer(RemedyKind::moments_8bit,
          [](spec::WorkloadSpec& changed) { changed.optimizer = spec::OptimizerKind::adamw_8bit; });
  }
  if (updates && spec.optimizer != spec::OptimizerKind::sgd) {
    offer(RemedyKind::sgd,
          [](spec::WorkloadSpec& changed) { changed.optimizer = spec::OptimizerKind::sgd; });
  }
  allocator::AllocatorSettings settings = allocator_settings_of(spec);
  if (device == spec::DeviceKind::cuda && !settings.expandable_segments) {
    settings.expandable_segments = true;
    offer(RemedyKind::expandable_segments,
          [&](spec::WorkloadSpec& changed) { changed.alloc_conf = settings.to_string(); });
  }
  return changes;
}

std::optional<double> estimated_step_s(const DryRun& run, const spec::Gpu& card) {
  const std::optional<double> tflops = report::peak_tflops(card, spec::compute_type(run.spec));
  // No formula gives the FLOPs of a file's operators.
  if (!tflops || card.bandwidth_gb_s <= 0 || spec::comes_from_file(run.spec)) return std::nullopt;
  const spec::Flops flops = spec::step_flops(run.spec, spec::backend_for_formulas(run.backend));
  double bytes = 0, parameters = 0;
  for (const memory::Block& block : run.log.blocks()) {
    const auto size = static_cast<double>(block.size);
    if (block.step == run.options.steps - 1) bytes += 2 * size;
    if (block.category == memory::Category::parameter) parameters += size;
  }
  // The third reading is for the gradient of a weight. Adapters are small.
  const bool adapters = spec::trains_adapters(run.spec);
  const double updated = parameters * static_cast<double>(run.trained) /
                         static_cast<double>(std::max<std::int64_t>(1, run.parameters));
  const double third = adapters ? 0 : updated;
  bytes += (run.spec.pass == spec::Pass::forward ? parameters : 2 * parameters + third) *
           static_cast<double>(spec::micro_batches(run.spec));
  if (run.spec.pass == spec::Pass::full_step) {
    const bool wider = spec::optimizer_state(run.spec) != spec::OptimizerState::parameter;
    const double trained = adapters ? 4 * static_cast<double>(run.trained) : updated;
    bytes += trained * optimizer_traffic(run.spec.optimizer) * (wider ? 2 : 1);
  }
  return flops.total() / (*tflops * 1e12) + bytes / (card.bandwidth_gb_s * 1e9);
}

}  // namespace ts::predict
