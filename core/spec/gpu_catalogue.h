#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ts::spec {

// One card of assets/gpus.json. Peaks are dense TFLOP/s; unset where the card does not support it.
struct Gpu {
  std::string name;
  std::string compute_capability;
  std::int64_t memory_bytes = 0;  // as printed on the box, GiB
  double bandwidth_gb_s = 0;      // decimal GB/s
  std::optional<double> fp32_tflops, tf32_tflops, bf16_tflops, fp16_tflops;
  std::string source;
  std::vector<std::string> driver_names;  // what the driver calls it, where that says it otherwise
};

class GpuCatalogue {
 public:
  // Errors name the card and the key.
  static base::Result<GpuCatalogue> parse(std::string_view json);
  [[nodiscard]] std::span<const Gpu> gpus() const { return gpus_; }
  [[nodiscard]] const Gpu* find(std::string_view name) const;  // nullptr: no such card
  // As find(), and also what people write: letter case, spaces and the maker do not count, and the
  // beginning of a name is enough where it fits one card only ("h200", "NVIDIA GeForce RTX 4090");
  // so does what the driver calls a card ("NVIDIA H100 80GB HBM3").
  // The error names the cards that could be meant.
  [[nodiscard]] base::Result<const Gpu*> require(std::string_view name) const;

 private:
  std::vector<Gpu> gpus_;
};

}  // namespace ts::spec
