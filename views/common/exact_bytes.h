#pragma once

#include <cstdint>
#include <string>

#include "core/text/numbers.h"
#include "core/text/text.h"
#include "views/common/ui.h"

namespace ts::views {

// The exact form of a rounded size: "13,207,024,435 bytes".
[[nodiscard]] std::string exact_bytes(const text::Texts& texts, std::int64_t bytes);
// Shows exact_bytes() as the tooltip of the item drawn last.
void exact_bytes_tip(const Ui& ui, std::int64_t bytes);
// "12.3 GiB, 13,207,024,435 bytes", for words that are themselves a tooltip.
[[nodiscard]] std::string size_and_bytes(const text::Texts& texts, std::int64_t bytes);

// A size in the unit of its column, as text::bytes_in. A size that would read 0.00 uses its own
// unit.
[[nodiscard]] text::Quantity bytes_in_column(std::int64_t bytes, char unit_letter);

}  // namespace ts::views
