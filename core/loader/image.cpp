#include "core/loader/image.h"

#include <turbojpeg.h>

#include <array>

#include "core/text/message.h"
#include "core/text/numbers.h"

#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STB_IMAGE_RESIZE_STATIC
#include <stb/stb_image_resize.h>

namespace ts::loader {
namespace {

constexpr int kColors = 3;

// The fewest pixels that the library can leave with both sides at least `side`.
tjscalingfactor scaling_of(int width, int height, std::size_t side) {
  tjscalingfactor best{1, 1};
  int count = 0;
  const tjscalingfactor* const all = tjGetScalingFactors(&count);
  for (int i = 0; side > 0 && all != nullptr && i < count; ++i) {
    const tjscalingfactor one = all[i];
    const bool enough = static_cast<std::size_t>(TJSCALED(width, one)) >= side &&
                        static_cast<std::size_t>(TJSCALED(height, one)) >= side;
    if (enough && one.num * best.denom < best.num * one.denom) best = one;
  }
  return best;
}

}  // namespace

struct JpegCoder::Handles {
  tjhandle compressor = tjInitCompress();
  tjhandle decompressor = tjInitDecompress();
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    tjDestroy(compressor);
    tjDestroy(decompressor);
  }
  // A broken image leaves tables behind that later images would be read with.
  base::Message refused() {
    base::Message why =
        text::message("loader_error.image", {{"reason", tjGetErrorStr2(decompressor)}});
    tjDestroy(decompressor);
    decompressor = tjInitDecompress();
    return why;
  }
};

JpegCoder::JpegCoder() : handles_(std::make_unique<Handles>()) {}

JpegCoder::~JpegCoder() = default;

std::string JpegCoder::compress(const Image& image, int quality) {
  unsigned char* made = nullptr;
  unsigned long bytes = 0;
  tjCompress2(handles_->compressor, image.pixels.data(), static_cast<int>(image.width), 0,
              static_cast<int>(image.height), TJPF_RGB, &made, &bytes, TJSAMP_420, quality, 0);
  std::string jpeg(made, made + bytes);
  tjFree(made);
  return jpeg;
}

base::Result<Image> JpegCoder::decompress(std::string_view jpeg, std::size_t side) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(jpeg.data());
  const tjhandle handle = handles_->decompressor;
  int width = 0, height = 0, sampling = 0, colors = 0;
  if (tjDecompressHeader3(handle, bytes, jpeg.size(), &width, &height, &sampling, &colors) != 0)
    return tl::unexpected(handles_->refused());
  if (static_cast<std::size_t>(width) * static_cast<std::size_t>(height) > kMostPixels) {
    return text::fail("loader_error.image_large",
                      {{"width", text::grouped(width)}, {"height", text::grouped(height)}});
  }
  const tjscalingfactor scaling = scaling_of(width, height, side);
  const int columns = TJSCALED(width, scaling);
  const int rows = TJSCALED(height, scaling);
  Image image{.width = static_cast<std::size_t>(columns), .height = static_cast<std::size_t>(rows)};
  image.pixels.resize(image.width * image.height * kColors);
  if (tjDecompress2(handle, bytes, jpeg.size(), image.pixels.data(), columns, 0, rows, TJPF_RGB,
                    TJFLAG_LIMITSCANS) != 0)
    return tl::unexpected(handles_->refused());
  return image;
}

Image resized(const Image& image, std::size_t side) {
  Image made{.width = side, .height = side};
  made.pixels.resize(side * side * kColors);
  stbir_resize_uint8_generic(image.pixels.data(), static_cast<int>(image.width),
                             static_cast<int>(image.height), 0, made.pixels.data(),
                             static_cast<int>(side), static_cast<int>(side), 0, kColors,
                             STBIR_ALPHA_CHANNEL_NONE, 0, STBIR_EDGE_CLAMP, STBIR_FILTER_TRIANGLE,
                             STBIR_COLORSPACE_LINEAR, nullptr);
  return made;
}

void normalise(std::span<const std::uint8_t> pixels, std::span<float> to) {
  constexpr std::array kMean = {0.485F, 0.456F, 0.406F};
  constexpr std::array kDeviation = {0.229F, 0.224F, 0.225F};
  const std::size_t plane = pixels.size() / kColors;
  for (std::size_t color = 0; color < kColors; ++color) {
    const float scale = 1 / (255 * kDeviation[color]);
    const float shift = kMean[color] / kDeviation[color];
    for (std::size_t i = 0; i < plane; ++i)
      to[color * plane + i] = static_cast<float>(pixels[i * kColors + color]) * scale - shift;
  }
}

}  // namespace ts::loader
