#pragma once

#include <string>

#include "core/calculate/calculator.h"
#include "core/io/text_table.h"
#include "core/text/text.h"

namespace ts::calculate {

// A formula as it is read: "×" for *, "²" for ^2, "≤" for <=.
std::string formula_text(std::string_view formula);
// A value with the unit that suits its size: "52.15 GiB", "14.19 TFLOP", "151.67 ms", "44.8 %".
std::string value_text(double value, Unit unit);
// All digits, for bytes and numbers that value_text() rounds: "56,000,000,000". Else empty.
std::string exact_text(double value, Unit unit);

// A row for each input and for each term: name, formula, value, exact.
io::TextTable calculation_table(const Values& values, const text::Texts& texts);

}  // namespace ts::calculate
