#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/memory/record.h"

namespace ts::kernels {

// The layers of a model are alike, so a dry run of a few of them determines that of any number. The
// records of a run with kSampleLayers layers ("blocks.0" ... "blocks.3", where the prefix is
// "blocks.") are split, phase by phase, by layer. Layers 1 and 2 must do the same in every phase,
// block for block and with the same blocks of their neighbours, of which one has an end of the
// model beyond it and the other has not. Then layer 2 stands for all from 2 to layers - 2, and the
// first two and the last stay as they are. Operators on lists of all parameters (clipping, AdamW in
// lists) have a block for each parameter, which goes with the layer of that.
inline constexpr std::int64_t kSampleLayers = 4;

// Writes the records of a run with `layers` (more than kSampleLayers) layers into `out`, replacing
// its contents. False if the sample does not repeat in this way: then `out` is not usable, and a
// full run is needed. Times are not set. Parameters are recognised by the module of their owner
// record.
bool repeat_layers(std::span<const memory::Record> sample, const std::string& prefix,
                   std::int64_t layers, base::StringTable& strings,
                   std::vector<memory::Record>& out);

}  // namespace ts::kernels
