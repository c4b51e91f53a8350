#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::spec {

// A card that is in no list, given by its numbers in one line. The line is its name in every place:
//   custom 24GiB 1008GB/s fp32=82.6 tf32=82.6 bf16=165 fp16=165 cc=8.9 sm=128
// Memory first, the rest in any order: bandwidth in decimal GB/s, dense peaks in TFLOP/s, compute
// capability, number of multiprocessors. Values that are left out are not known (no bandwidth, no
// peak); without `cc` the rules are those of 8.0, without `sm` those of an A100's 108.
[[nodiscard]] bool is_typed_card(std::string_view name);
// The error names the word that cannot be read.
base::Result<Gpu> read_typed_card(std::string_view name);
// The line from which this card can be read again, whatever its name.
[[nodiscard]] std::string typed_card_name(const Gpu& gpu);
// The name of a card in sentences and pictures: "custom 12.00 GiB" for a typed one, whose line
// would be too long there, else its name.
[[nodiscard]] std::string card_label(const Gpu& gpu);

}  // namespace ts::spec
