#pragma once

#include <string>

#include "core/io/text_table.h"
#include "core/stepper/stepper.h"
#include "core/text/text.h"

namespace ts::stepper {

// "−0.4131", "1.2e-07", "3.1 KiB"; an en dash for none.
std::string number_words(double value, Digits digits);

// A row for each step: its number, the numbers of its columns, and what it does. `plain`: numbers
// with all digits, for other programs; their columns have the names of the command line.
io::TextTable step_table(const Stepper& stepper, Walk& walk, const text::Texts& texts, bool plain);
// Name and value of the figures of the whole.
io::TextTable figure_table(Walk& walk, const text::Texts& texts);

}  // namespace ts::stepper
