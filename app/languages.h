#pragma once

#include "core/text/text.h"

namespace ts::app {

// The three languages that travel inside the program.
text::Texts built_in_texts();

}  // namespace ts::app
