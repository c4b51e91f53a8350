#pragma once

#include <string>

#include "core/blocks/block_table.h"
#include "core/text/numbers.h"
#include "core/text/text.h"

namespace ts::views {

// The weight of blocks with its unit.
inline std::string weight_text(const text::Texts& texts, double value, blocks::Weight weight) {
  const std::string gib = text::decimal(value / text::kBytesInGiB, 3);
  if (weight == blocks::Weight::lifetime) return gib + " GiB\u00b7s";
  if (weight == blocks::Weight::events) return texts("file.groups.gib_events", {{"number", gib}});
  return text::bytes(static_cast<std::int64_t>(value)).joined();
}

}  // namespace ts::views
