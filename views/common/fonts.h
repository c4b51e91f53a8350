#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/text/text.h"
#include "views/common/draw_sink.h"

struct ImFont;
struct ImFontAtlas;

namespace ts::views {

// Bytes of a font file, mapped, so that the 20 MB CJK collection costs no reading until glyphs are
// asked for and is shared by all faces.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  [[nodiscard]] bool valid() const { return data_ != nullptr; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

// Height of a line, from ascent to descent, in ems of a face of an OpenType font or collection;
// nothing if the tables that say so are missing or cut off.
std::optional<float> line_per_em(std::span<const std::uint8_t> font, int face);

// The faces of the design: Inter in three weights, each merged with Noto Sans CJK and the icons,
// and JetBrains Mono. A missing file falls back to Dear ImGui's own font and is named in missing().
// Lives longer than every atlas it was added to. UI thread.
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
  // Traditional Chinese uses the Taiwan forms of the collection, everything else the mainland ones.
  Faces add_to(ImFontAtlas& atlas, text::Language language);
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

 private:
  struct Files;
  std::unique_ptr<Files> files_;
  std::vector<std::string> missing_;
};

// Pixels of the em of a style at a scale: 12, 14, 22 and 12 at scale 1. Small text is rounded up,
// so that nothing is under 20 pixels in projector mode.
float text_pixels(TextStyle style, float scale);

}  // namespace ts::views
