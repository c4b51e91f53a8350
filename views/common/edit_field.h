#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "views/common/draw_sink.h"
#include "views/common/ui.h"

namespace ts::views {

struct EditSettings {
  std::string shown;         // "65,536"
  std::string edited;        // text in the field when typing begins: "65536"
  std::string_view problem;  // sentence in the tooltip, field outlined; empty: none
  float fade = 1;
};

// A value as a button that becomes a text field when clicked, id "###field_NAME". Returns the typed
// text when Enter or a click elsewhere ends the edit, else nothing.
std::optional<std::string> edit_field(const Ui& ui, std::string_view name, const EditSettings& look,
                                      const Rect& rect);

}  // namespace ts::views
