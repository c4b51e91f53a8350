#include "views/common/fonts.h"

#include <fcntl.h>
#include <imgui.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "assets/assets.h"

namespace ts::views {
namespace {

constexpr const char* kInter[] = {"/usr/share/fonts/opentype/inter/Inter-Regular.otf",
                                  "/usr/share/fonts/opentype/inter/Inter-Medium.otf",
                                  "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf"};
constexpr const char* kMono = "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf";
constexpr const char* kCjk = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc";
constexpr const char* kCjkBold = "/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc";

// Faces inside the Noto collection: Japanese, Korean, Simplified, Traditional (Taiwan), ...
constexpr int kSimplifiedFace = 2;
constexpr int kTraditionalFace = 3;

// Noto's em box is taller than Inter's: at the same size its glyphs come out a quarter too small.
constexpr float kCjkScale = 1.25F;

constexpr float kReferenceSize = 14;

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status {};
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    void* mapped =
        mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) {
      data_ = mapped;
      size_ = static_cast<int>(status.st_size);
    }
  }
  close(file);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, static_cast<std::size_t>(size_));
}

struct Fonts::Files {
  std::array<MappedFile, 3> inter{MappedFile(kInter[0]), MappedFile(kInter[1]),
                                  MappedFile(kInter[2])};
  MappedFile mono{kMono};
  MappedFile cjk{kCjk};
  MappedFile cjk_bold{kCjkBold};
};

Fonts::Fonts() : files_(std::make_unique<Files>()) {
  if (!files_->inter[0].valid()) missing_.emplace_back("Inter");
  if (!files_->mono.valid()) missing_.emplace_back("JetBrains Mono");
  if (!files_->cjk.valid()) missing_.emplace_back("Noto Sans CJK");
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
  const auto add = [&atlas](const MappedFile& file, const ImFontConfig& base) -> ImFont* {
    ImFontConfig config = base;
    config.FontDataOwnedByAtlas = false;
    return atlas.AddFontFromMemoryTTF(file.data(), file.size(), config.SizePixels, &config);
  };
  const auto merge_others = [&](const MappedFile& cjk) {
    ImFontConfig merged;
    merged.MergeMode = true;
    if (cjk.valid()) {
      merged.FontNo = language == text::Language::zh_tw ? kTraditionalFace : kSimplifiedFace;
      merged.SizePixels = kReferenceSize;
      merged.ExtraSizeScale = kCjkScale;
      add(cjk, merged);
    }
    const std::string_view icons = assets::icon_font();
    merged.FontNo = 0;
    merged.SizePixels = kReferenceSize;
    merged.ExtraSizeScale = 0.9F;
    merged.FontDataOwnedByAtlas = false;
    atlas.AddFontFromMemoryTTF(const_cast<char*>(icons.data()), static_cast<int>(icons.size()),
                               merged.SizePixels, &merged);
  };
  const auto face = [&](const MappedFile& file, const MappedFile& cjk) {
    ImFontConfig config;
    config.SizePixels = kReferenceSize;
    ImFont* font = file.valid() ? add(file, config) : atlas.AddFontDefault(&config);
    merge_others(cjk.valid() ? cjk : files_->cjk);
    return font;
  };
  Faces faces;
  faces.regular = face(files_->inter[0], files_->cjk);
  faces.medium = face(files_->inter[1].valid() ? files_->inter[1] : files_->inter[0], files_->cjk);
  faces.strong =
      face(files_->inter[2].valid() ? files_->inter[2] : files_->inter[0], files_->cjk_bold);
  faces.mono = face(files_->mono, files_->cjk);
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
