#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ts::loader {

// Pixels as red, green, blue, one byte each, row by row.
struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> pixels = {};
};

// Compresses and reads JPEG by libjpeg-turbo. One thread each.
class JpegCoder {
 public:
  JpegCoder();
  ~JpegCoder();
  JpegCoder(const JpegCoder&) = delete;
  JpegCoder& operator=(const JpegCoder&) = delete;

  // 4:2:0, as cameras do. `quality` is 1 to 100.
  std::string compress(const Image& image, int quality);
  // `side` above 0: the library leaves out what is finer, as far as the image stays at least that
  // wide and high. What is no whole JPEG is an error with the library's reason; more than
  // kMostPixels are refused before memory is taken.
  base::Result<Image> decompress(std::string_view jpeg, std::size_t side = 0);

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};
inline constexpr std::size_t kMostPixels = 64'000'000;

// A square, by stb_image_resize's triangle filter: linear, with all pixels of the source when it
// shrinks. The shape is not kept.
Image resized(const Image& image, std::size_t side);

// Planes of red, green and blue as (pixel / 255 - mean) / deviation, with the means and deviations
// of ImageNet, which are of pixels from 0 to 1. `to` has three times as many numbers as the image
// has pixels.
void normalise(std::span<const std::uint8_t> pixels, std::span<float> to);

}  // namespace ts::loader
