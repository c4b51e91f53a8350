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
  std::int32_t multiprocessors = 0;  // 0: not given
  std::int64_t memory_bytes = 0;     // as the driver counts it if that is known, else on the box
  std::int64_t box_bytes = 0;        // as printed on the box if the driver counts less, else 0
  double bandwidth_gb_s = 0;         // decimal GB/s
  std::optional<double> fp32_tflops, tf32_tflops, bf16_tflops, fp16_tflops;
  std::string source;
  std::vector<std::string> driver_names;  // the driver's name, where it differs
  // The size by which people call the card.
  [[nodiscard]] std::int64_t advertised_bytes() const {
    return box_bytes > 0 ? box_bytes : memory_bytes;
  }
};

// True if the card is one of those that somebody means who types this: each word is part of its
// name, in any order and case, or a number with a unit is its memory ("8 GB", "8gib", "8 g" while
// typing).
bool is_meant(const Gpu& card, std::string_view typed);

class GpuCatalogue {
 public:
  // Errors name the card and the key.
  static base::Result<GpuCatalogue> parse(std::string_view json);
  [[nodiscard]] std::span<const Gpu> gpus() const { return gpus_; }
  [[nodiscard]] const Gpu* find(std::string_view name) const;  // nullptr: no such card
  // As find(), but accepts looser input: letter case, spaces and the maker are ignored, and the
  // beginning of a name is enough if it fits one card only ("h200", "NVIDIA GeForce RTX 4090"). The
  // driver's name of a card is accepted too ("NVIDIA H100 80GB HBM3"). The error names the
  // candidate cards.
  [[nodiscard]] base::Result<const Gpu*> require(std::string_view name) const;

 private:
  std::vector<Gpu> gpus_;
};

}  // namespace ts::spec
