#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "core/capture/memory_merge.h"
#include "core/capture/recorder.h"
#include "core/memory/allocation_log.h"
#include "kernels/engine/engine.h"
#include "kernels/engine/execution.h"

namespace ts::spec {

// How a test's parameter is shown.
inline void PrintTo(const WorkloadSpec& spec, std::ostream* out) {
  *out << to_string(spec.workload) << ' ' << to_string(spec.pass) << ' ' << to_string(spec.dtype);
}

}  // namespace ts::spec

namespace ts::kernels {

// Takes everything out of a recorder's rings, in order per ring, when told to. On cuda a block of
// one thread is freed by another, so there memory is put into the order of time.
class Recorded {
 public:
  explicit Recorded(std::size_t ring_records = 1U << 16) : recorder(strings, ring_records) {}

  enum class Order : std::uint8_t { of_threads, of_time };
  void drain(Order order = Order::of_threads) {
    capture::MemoryMerge merge;
    for (std::size_t i = 0; i < recorder.threads().size(); ++i) {
      capture::ThreadLog* const log = recorder.threads()[i];
      const std::size_t thread = order == Order::of_time ? i : 0;
      log->ring.drain([&](const capture::RawRecord& record) {
        records[log->name].push_back(record);
        if (record.kind == capture::RawKind::memory) merge.take(thread, record.memory);
      });
    }
    std::vector<memory::Record> events;
    merge.hand_over(std::numeric_limits<std::int64_t>::max(), events);
    for (const memory::Record& event : events) memory.append(event);
  }
  [[nodiscard]] std::string text(base::StringId id) const { return std::string(strings.view(id)); }
  // Records of one kind on all tracks.
  [[nodiscard]] std::vector<capture::RawRecord> of_kind(capture::RawKind kind) const {
    std::vector<capture::RawRecord> found;
    for (const auto& [track, list] : records) {
      for (const capture::RawRecord& record : list) {
        if (record.kind == kind) found.push_back(record);
      }
    }
    return found;
  }
  [[nodiscard]] bool has_op(std::string_view name) const {
    for (const capture::RawRecord& record : of_kind(capture::RawKind::op)) {
      if (strings.view(record.name) == name) return true;
    }
    return false;
  }

  base::StringTable strings;
  capture::Recorder recorder;
  std::map<std::string, std::vector<capture::RawRecord>> records;  // by track
  memory::AllocationLog memory;
};

// A limit that nothing reaches: published models of 0.6 B parameters, with their gradients,
// included.
inline constexpr std::int64_t kPlenty = std::int64_t{16} << 30;

inline TorchEngine& engine() {
  static TorchEngine one;
  return one;
}

// Small enough for a blink, odd enough to catch swapped sizes.
inline spec::WorkloadSpec small_spec(spec::WorkloadKind workload,
                                     spec::Pass pass = spec::Pass::forward_backward) {
  spec::WorkloadSpec spec;
  spec.workload = workload;
  spec.pass = pass;
  spec.batch = 2;
  spec.heads = 3;
  spec.seq_len = 64;
  spec.d_head = 16;
  spec.d_model = 48;
  spec.d_ff = 80;
  spec.layers = 2;
  spec.vocab = 101;
  spec.image = 20;
  spec.patch = 6;
  spec.image_tokens = 4;
  spec.encoder_width = 36;
  spec.encoder_heads = 3;
  spec.encoder_layers = 2;
  spec.encoder_ff = 60;
  return spec;
}

// Every workload with every pass and dtype that goes together.
inline std::vector<spec::WorkloadSpec> every_small_spec() {
  std::vector<spec::WorkloadSpec> specs;
  using spec::WorkloadKind, spec::Pass, spec::DataType;
  for (const auto workload :
       {WorkloadKind::attention, WorkloadKind::mlp, WorkloadKind::block, WorkloadKind::lm,
        WorkloadKind::weighted_sum, WorkloadKind::toy, WorkloadKind::accumulation,
        WorkloadKind::layernorm, WorkloadKind::norm, WorkloadKind::softmax,
        WorkloadKind::cross_entropy, WorkloadKind::vit, WorkloadKind::vlm}) {
    for (const auto pass : {Pass::forward, Pass::forward_backward, Pass::full_step}) {
      for (const auto dtype : {DataType::fp32, DataType::bf16, DataType::fp16}) {
        spec::WorkloadSpec spec = small_spec(workload, pass);
        spec.dtype = dtype;
        // AdamW's second moments vanish in plain fp16 and the step divides by nearly nothing.
        if (dtype == DataType::fp16 && pass == Pass::full_step) continue;
        if (spec::validate(spec).empty()) specs.push_back(spec);
        if (workload != WorkloadKind::attention) continue;
        spec.projections = true;
        specs.push_back(spec);
      }
    }
  }
  return specs;
}

// The language model in the form of GPT-2: LayerNorm with bias, learned positions, GELU, a head
// that is the embedding.
inline spec::WorkloadSpec small_gpt2(spec::Pass pass) {
  spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm, pass);
  spec.norm = spec::NormKind::layernorm;
  spec.positions = spec::Positions::learned;
  spec.ffn = spec::FeedForward::gelu;
  spec.bias = true;
  spec.tied = true;
  spec.fused_qkv = true;
  return spec;
}

// Name of a parameter of a test: letters only.
inline std::string spec_name(const testing::TestParamInfo<spec::WorkloadSpec>& info) {
  std::string name = std::string(to_string(info.param.workload)) + "_" +
                     to_string(info.param.pass) + "_" + to_string(info.param.dtype) +
                     (info.param.projections ? "_projections" : "");
  std::replace(name.begin(), name.end(), '+', '_');
  return name;
}

inline spec::WorkloadSpec small_attention() {
  return small_spec(spec::WorkloadKind::attention);
}

}  // namespace ts::kernels
