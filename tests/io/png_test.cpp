#include "core/io/png.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/io/temporary_folder.h"

namespace ts::io {
namespace {

using testing::TemporaryFolder;

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
};

Picture read_back(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  EXPECT_EQ(image.format, PNG_FORMAT_RGB);  // as stored: 8 bits, no alpha, no palette
  image.format = PNG_FORMAT_RGB;
  Picture picture{.width = static_cast<int>(image.width),
                  .height = static_cast<int>(image.height),
                  .rgb = std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr), 0)
      << image.message;
  return picture;
}

Picture random_picture(int width, int height) {
  std::mt19937 random(1);
  Picture picture{.width = width, .height = height, .rgb = {}};
  picture.rgb.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  for (std::uint8_t& value : picture.rgb) value = static_cast<std::uint8_t>(random());
  return picture;
}

TEST(WritePng, GivesBackEveryPixel) {
  const TemporaryFolder folder;
  // Noise is the hardest to compress, so it fits where anything does.
  for (const auto& [width, height] :
       {std::pair{1, 1}, std::pair{7, 3}, std::pair{3, 500}, std::pair{1920, 1080}}) {
    const Picture picture = random_picture(width, height);
    const auto result = write_png(folder / "picture.png", {width, height, picture.rgb});
    ASSERT_TRUE(result.has_value()) << result.error().sentence;
    const Picture got = read_back(folder / "picture.png");
    EXPECT_EQ(got.width, width);
    EXPECT_EQ(got.height, height);
    EXPECT_TRUE(got.rgb == picture.rgb);
  }
}

TEST(WritePng, RowsStartAtTheTop) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> rgb = {255, 0, 0, 0, 0, 255};  // red above blue
  ASSERT_TRUE(write_png(folder / "picture.png", {1, 2, rgb}));
  EXPECT_EQ(read_back(folder / "picture.png").rgb, rgb);
}

TEST(WritePng, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto path = folder / "picture.png";
  EXPECT_EQ(write_png(path, {0, 5, {}}).error().sentence,
            "Cannot write " + path.string() + ": a picture of 0 x 5 pixels has nothing in it.");
  const auto nowhere = folder / "no/picture.png";
  EXPECT_EQ(write_png(nowhere, {1, 1, std::vector<std::uint8_t>(3)}).error().sentence,
            "Cannot write " + nowhere.string() + ": No such file or directory.");
  // libpng's own limit of a million pixels a side.
  const int wide = 1'000'001;
  const std::vector<std::uint8_t> row(static_cast<std::size_t>(wide) * 3);
  const auto result = write_png(path, {wide, 1, row});
  ASSERT_FALSE(result.has_value());
  EXPECT_TRUE(result.error().sentence.starts_with("Cannot write " + path.string() + ": "));
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace ts::io
