#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/base/message.h"
#include "core/run/run.h"

namespace ts::report {

// The two limits of a device for one type: peak and bandwidth, and their source.
struct Roofs {
  // "H100 SXM, bf16, dense", "2048 x 2048 product in fp32 and copy, measured"
  base::Message source;
  double tflops = 0;  // 0: not known
  double gb_s = 0;    // 1e9 bytes a second; 0: not known
  [[nodiscard]] bool known() const { return tflops > 0 || gb_s > 0; }
  // Earlier files have the sentence of a source and no key.
  friend bool operator==(const Roofs& a, const Roofs& b) {
    return a.source.sentence == b.source.sentence && a.tflops == b.tflops && a.gb_s == b.gb_s;
  }
};

// The roofs of the catalogue's card for that type.
Roofs roofs_of_card(const spec::Gpu& card, spec::DataType type);
// The roofs of the device of a run: from its card, else as measured there.
Roofs roofs_of_run(const run::Run& run);

// Whether a run measured them; else they are a card's.
bool are_measured(const Roofs& roofs);

// The limits of a run's steps by formula: their FLOPs and the least bytes that they must
// move (workload_math.h, workload_traffic.h), against the roofs of the device. Shares of the roofs
// are those of the median step.
struct StepLimits {
  double flops = 0;
  double bytes = 0;
  double intensity = 0;          // FLOPs a byte
  double ridge = 0;              // FLOPs a byte from which the device computes longer than it moves
  double compute_percent = 0;    // of the peak
  double bandwidth_percent = 0;  // of the bandwidth
  [[nodiscard]] bool moves_longer() const { return intensity < ridge; }
};
// Unset where a roof, the formula or the median is not known.
std::optional<StepLimits> step_limits(const run::Run& run);
// {flops, bytes, intensity, ridge, compute_percent, bandwidth_percent}, or null.
nlohmann::json to_json(const std::optional<StepLimits>& limits);

// {source, source_text, tflops, gb_s}; null when not known. Files of earlier versions have no
// source_text. Reading throws nlohmann::json::exception.
nlohmann::json to_json(const Roofs& roofs);
Roofs roofs_from_json(const nlohmann::json& json);

}  // namespace ts::report
