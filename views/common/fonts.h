#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/text.h"
#include "views/common/draw_sink.h"

struct ImFont;
struct ImFontAtlas;

namespace ts::views {

// Line height, from ascent to descent, of a face of an OpenType font or collection, in ems. Nothing
// if the tables needed for it are missing or truncated.
std::optional<float> line_per_em(std::string_view font, int face);

// The faces of the design: Inter in three weights, each merged with Noto Sans CJK and the icons,
// and JetBrains Mono. A missing file falls back to Dear ImGui's own font and is listed in
// missing(). Must outlive every atlas it was added to. UI thread.
class Fonts {
 public:
  Fonts();
  ~Fonts();
  Fonts(const Fonts&) = delete;
  Fonts& operator=(const Fonts&) = delete;

  struct Faces {
    ImFont* regular = nullptr;
    ImFont* medium = nullptr;
    ImFont* strong = nullptr;
    ImFont* mono = nullptr;
    [[nodiscard]] ImFont* face(TextStyle style) const;
  };
  // Traditional Chinese uses the Taiwan forms of the collection, other languages the mainland
  // forms.
  Faces add_to(ImFontAtlas& atlas, text::Language language);
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

 private:
  struct Files;
  std::unique_ptr<Files> files_;
  std::vector<std::string> missing_;
};

// Em size in pixels of a style at a scale: 12, 14, 22 and 12 at scale 1. Small text is rounded up,
// so that no text is below 20 pixels in projector mode.
float text_pixels(TextStyle style, float scale);

}  // namespace ts::views
