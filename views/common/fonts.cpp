#include "views/common/fonts.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assets/assets.h"
#include "core/base/file_map.h"

namespace ts::views {
namespace {

using base::FileMap;

constexpr const char* kInter[] = {"/usr/share/fonts/opentype/inter/Inter-Regular.otf",
                                  "/usr/share/fonts/opentype/inter/Inter-Medium.otf",
                                  "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf"};
constexpr const char* kMono = "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf";
constexpr const char* kCjk = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc";
constexpr const char* kCjkBold = "/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc";

// Faces inside the Noto collection: Japanese, Korean, Simplified, Traditional (Taiwan), ...
constexpr int kSimplifiedFace = 2;
constexpr int kTraditionalFace = 3;

// The icons fill their em; capital letters only 0.73 of it.
constexpr float kIconScale = 0.95F;

constexpr float kReferenceSize = 14;

unsigned big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  unsigned value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Offset of a table of the face. Nothing if it is missing or ends before `needed` bytes.
std::optional<std::size_t> table_offset(std::string_view font, std::size_t face,
                                        std::string_view name, std::size_t needed) {
  constexpr std::size_t kDirectory = 12;
  constexpr std::size_t kEntry = 16;
  if (font.size() < face + kDirectory) return std::nullopt;
  const std::size_t count = big_endian(font, face + 4, 2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = face + kDirectory + i * kEntry;
    if (font.size() < entry + kEntry) return std::nullopt;
    if (font.substr(entry, name.size()) != name) continue;
    const std::size_t offset = big_endian(font, entry + 8, 4);
    if (font.size() < offset + needed) return std::nullopt;
    return offset;
  }
  return std::nullopt;
}

// Loads glyphs as Dear ImGui does, but gives all digits the width of the widest (Inter has this as
// feature "tnum"). A changing number then moves nothing beside it.
bool load_with_tabular_digits(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked,
                              void* data, int glyph, ImFontGlyph* out, float* out_advance) {
  const ImFontLoader& plain = *ImFontAtlasGetFontLoaderForStbTruetype();
  if (!plain.FontBakedLoadGlyph(atlas, source, baked, data, glyph, out, out_advance)) return false;
  bool is_digit = false;
  float widest = 0;
  for (ImWchar digit = '0'; digit <= '9'; ++digit) {
    const int index = plain.FontSrcGetGlyphIndexFromCodepoint(atlas, source, digit);
    if (index == 0) return true;
    is_digit = is_digit || index == glyph;
    float advance = 0;
    plain.FontBakedLoadGlyph(atlas, source, baked, data, index, nullptr, &advance);
    widest = std::max(widest, advance);
  }
  if (!is_digit) return true;
  if (out_advance != nullptr) {
    *out_advance = widest;
    return true;
  }
  const float shift = std::round((widest - out->AdvanceX) / 2);
  out->X0 += shift;
  out->X1 += shift;
  out->AdvanceX = widest;
  return true;
}

const ImFontLoader& tabular_loader() {
  static const ImFontLoader loader = [] {
    ImFontLoader made = *ImFontAtlasGetFontLoaderForStbTruetype();
    made.Name = "stb_truetype, tabular digits";
    made.FontBakedLoadGlyph = load_with_tabular_digits;
    return made;
  }();
  return loader;
}

}  // namespace

std::optional<float> line_per_em(std::string_view font, int face) {
  std::size_t start = 0;
  if (font.starts_with("ttcf")) {
    const std::size_t entry = 12 + static_cast<std::size_t>(face) * 4;
    if (font.size() < entry + 4) return std::nullopt;
    start = big_endian(font, entry, 4);
  }
  const auto head = table_offset(font, start, "head", 20);
  const auto line = table_offset(font, start, "hhea", 8);
  if (!head || !line) return std::nullopt;
  const unsigned em = big_endian(font, *head + 18, 2);
  const auto ascent = static_cast<std::int16_t>(big_endian(font, *line + 4, 2));
  const auto descent = static_cast<std::int16_t>(big_endian(font, *line + 6, 2));
  if (em == 0 || ascent <= descent) return std::nullopt;
  return static_cast<float>(ascent - descent) / static_cast<float>(em);
}

// The 20 MB CJK collection is read only when glyphs are needed, and all faces share it.
struct Fonts::Files {
  std::array<FileMap, 3> inter{FileMap(kInter[0]), FileMap(kInter[1]), FileMap(kInter[2])};
  FileMap mono{kMono};
  FileMap cjk{kCjk};
  FileMap cjk_bold{kCjkBold};
};

Fonts::Fonts() : files_(std::make_unique<Files>()) {
  if (files_->inter[0].all().empty()) missing_.emplace_back("Inter");
  if (files_->mono.all().empty()) missing_.emplace_back("JetBrains Mono");
  if (files_->cjk.all().empty()) missing_.emplace_back("Noto Sans CJK");
}

Fonts::~Fonts() = default;

ImFont* Fonts::Faces::face(TextStyle style) const {
  switch (style) {
    case TextStyle::small:
    case TextStyle::body:
      return regular;
    case TextStyle::body_medium:
      return medium;
    case TextStyle::body_strong:
    case TextStyle::large:
      return strong;
    case TextStyle::mono:
      return mono;
  }
  return regular;
}

Fonts::Faces Fonts::add_to(ImFontAtlas& atlas, text::Language language) {
  // Dear ImGui fits the line of a face, from ascent to descent, into the requested pixels. The
  // sizes of the design are em sizes, as everywhere else.
  const auto add = [&atlas](std::string_view file, ImFontConfig config) {
    config.FontDataOwnedByAtlas = false;
    config.SizePixels = kReferenceSize;
    if (!config.MergeMode) config.FontLoader = &tabular_loader();
    config.ExtraSizeScale *= line_per_em(file, static_cast<int>(config.FontNo)).value_or(1.0F);
    return atlas.AddFontFromMemoryTTF(const_cast<char*>(file.data()), static_cast<int>(file.size()),
                                      kReferenceSize, &config);
  };
  const auto merge_others = [&](std::string_view cjk) {
    ImFontConfig merged;
    merged.MergeMode = true;
    if (!cjk.empty()) {
      merged.FontNo = language == text::Language::zh_tw ? kTraditionalFace : kSimplifiedFace;
      add(cjk, merged);
    }
    merged.FontNo = 0;
    merged.ExtraSizeScale = kIconScale;
    add(assets::icon_font(), merged);
  };
  const auto face = [&](std::string_view file, std::string_view cjk) {
    ImFontConfig config;
    config.SizePixels = kReferenceSize;
    ImFont* font = file.empty() ? atlas.AddFontDefault(&config) : add(file, config);
    merge_others(cjk.empty() ? files_->cjk.all() : cjk);
    return font;
  };
  Faces faces;
  const auto inter = [&](std::size_t weight) {
    const std::string_view file = files_->inter[weight].all();
    return file.empty() ? files_->inter[0].all() : file;
  };
  faces.regular = face(inter(0), files_->cjk.all());
  faces.medium = face(inter(1), files_->cjk.all());
  faces.strong = face(inter(2), files_->cjk_bold.all());
  faces.mono = face(files_->mono.all(), files_->cjk.all());
  return faces;
}

float text_pixels(TextStyle style, float scale) {
  switch (style) {
    case TextStyle::small:
    case TextStyle::mono:
      return std::ceil(12 * scale - 0.01F);
    case TextStyle::large:
      return std::round(22 * scale);
    case TextStyle::body:
    case TextStyle::body_medium:
    case TextStyle::body_strong:
      return std::round(14 * scale);
  }
  return std::round(14 * scale);
}

}  // namespace ts::views
