#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "views/common/log_scale.h"
#include "views/common/ui.h"

namespace ts::views {

// The user's input to a slider in this frame. A drag is one change: `value` changes during the
// drag, `finished` is set once at its end (or at once for typed and key input).
struct SliderEdit {
  std::optional<std::int64_t> value;
  // Text of the field when Enter or a click elsewhere ended the edit. Not parsed yet.
  std::optional<std::string> typed;
  bool finished = false;
};

struct SliderSettings {
  std::string_view label;
  std::int64_t value = 0;
  std::optional<std::int64_t> bad_from = {};  // thin track in the warning colour from here on
  std::string_view problem = {};  // sentence in the tooltip, field outlined; empty: none
  std::string_view reason = {};   // why it does not apply; empty: it applies
  std::string_view meaning = {};  // of the label, in its tooltip; empty: none
  // At scale 1.
  float label_width = 64;
  float field_width = 62;
};

// A label, a track with a tick at every power of two, a handle, and a field for typed numbers. The
// ids are "###slider_NAME" and "###field_NAME".
SliderEdit log_slider(const Ui& ui, std::string_view name, const SliderSettings& look,
                      const LogScale& scale, float width);

// A label and a field for a typed number, without a slider. Id "###field_NAME".
SliderEdit number_row(const Ui& ui, std::string_view name, std::string_view label,
                      const std::string& number, float width);

}  // namespace ts::views
