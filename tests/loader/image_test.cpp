// JPEG in and out, sizes, numbers, and damaged files.
#include "core/loader/image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/fuzz/mutator.h"

namespace ts::loader {
namespace {

// A slope of red from left to right, of green from top to bottom.
Image slope(std::size_t width, std::size_t height) {
  Image image{.width = width, .height = height, .pixels = {}};
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      image.pixels.push_back(static_cast<std::uint8_t>(x * 255 / (width - 1)));
      image.pixels.push_back(static_cast<std::uint8_t>(y * 255 / (height - 1)));
      image.pixels.push_back(100);
    }
  }
  return image;
}

double mean_difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(a.pixels[i] - b.pixels[i]);
  return sum / static_cast<double>(a.pixels.size());
}

TEST(Jpeg, ComesBackNearlyTheSame) {
  JpegCoder coder;
  const Image image = slope(160, 120);
  const auto back = coder.decompress(coder.compress(image, 95));
  ASSERT_TRUE(back) << back.error().sentence;
  EXPECT_EQ(back->width, 160U);
  EXPECT_EQ(back->height, 120U);
  EXPECT_LT(mean_difference(*back, image), 2);
}

// The smaller image that the library decodes, and the large one shrunk, are nearly the same.
TEST(Jpeg, DecodesToASmallerSizeThatIsStillEnough) {
  JpegCoder coder;
  const std::string jpeg = coder.compress(slope(640, 480), 95);
  const auto small = coder.decompress(jpeg, 224);
  ASSERT_TRUE(small);
  EXPECT_GE(std::min(small->width, small->height), 224U);
  EXPECT_LT(small->height, 480U);
  const auto large = coder.decompress(jpeg);
  ASSERT_TRUE(large);
  EXPECT_LT(mean_difference(resized(*small, 224), resized(*large, 224)), 3);
  EXPECT_EQ(coder.decompress(jpeg, 5000)->width, 640U) << "never larger";
}

TEST(Jpeg, TooManyPixelsAreRefusedBeforeMemoryIsTaken) {
  JpegCoder coder;
  std::string jpeg = coder.compress(slope(64, 64), 90);
  // The frame header: FF C0, length, precision, height, width.
  const std::size_t frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xFE\xF0\xFE\xF0");
  const auto refused = coder.decompress(jpeg);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().key, "loader_error.image_large");
}

TEST(Jpeg, DamageIsAnImageOrOneSentence) {
  JpegCoder coder;
  const std::string whole = coder.compress(slope(48, 32), 80);
  EXPECT_FALSE(coder.decompress(whole.substr(0, whole.size() / 2)));
  EXPECT_FALSE(coder.decompress(""));
  fuzz::Mutator mutator({whole, coder.compress(slope(17, 9), 50)}, 9);
  int refused = 0;
  for (int i = 0; i < 5'000; ++i) {
    const auto image = coder.decompress(mutator.next(), 8);
    refused += image ? 0 : 1;
    if (image) {
      ASSERT_EQ(image->pixels.size(), image->width * image->height * 3);
    } else {
      ASSERT_EQ(image.error().key.substr(0, 12), "loader_error");
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_TRUE(coder.decompress(whole)) << "the coder still works";
}

TEST(Resized, AConstantStaysAndASlopeStaysASlope) {
  Image flat{.width = 50, .height = 40, .pixels = std::vector<std::uint8_t>(50 * 40 * 3, 77)};
  const Image small = resized(flat, 16);
  EXPECT_TRUE(std::ranges::all_of(small.pixels, [](std::uint8_t one) { return one == 77; }));
  EXPECT_LT(mean_difference(resized(slope(200, 200), 50), slope(50, 50)), 2);
}

// E-33: the means and deviations are of pixels from 0 to 1.
TEST(Normalise, PlanesOfPixelsFromZeroToOne) {
  const std::array<std::uint8_t, 6> pixels = {0, 255, 128, 255, 0, 0};
  std::array<float, 6> numbers{};
  normalise(pixels, numbers);
  EXPECT_NEAR(numbers[0], (0 - 0.485) / 0.229, 1e-5);
  EXPECT_NEAR(numbers[1], (1 - 0.485) / 0.229, 1e-5);
  EXPECT_NEAR(numbers[2], (1 - 0.456) / 0.224, 1e-5);
  EXPECT_NEAR(numbers[4], (128.0 / 255 - 0.406) / 0.225, 1e-5);
}

}  // namespace
}  // namespace ts::loader
