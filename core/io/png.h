#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "core/base/result.h"

namespace ts::io {

// 8-bit RGB picture, rows from the top, no padding.
struct PictureView {
  int width = 0;
  int height = 0;
  std::span<const std::uint8_t> rgb;  // width * height * 3
};
base::Result<void> write_png(const std::filesystem::path& path, const PictureView& picture);

}  // namespace ts::io
