#pragma once

#include <string>
#include <string_view>

#include "core/io/text_table.h"
#include "core/stepper/exercise.h"
#include "core/text/text.h"

namespace ts::stepper {

// "−0.4131", "1.2e-07", "3.1 KiB"; an en dash for none.
std::string number_text(double value, Digits digits);

// A row for each step: its number, the numbers of its columns, and what it does. `plain`: numbers
// with all digits, for other programs; their columns have the names of the command line.
io::TextTable step_table(const Stepper& stepper, Walk& walk, const text::Texts& texts, bool plain);
// The tables of an exercise as "csv", "tex", else Markdown with the figures of the whole, the card,
// what it computes and its source.
std::string document_text(const Exercise& exercise, Walk& walk, std::string_view format,
                          const text::Texts& texts);

}  // namespace ts::stepper
