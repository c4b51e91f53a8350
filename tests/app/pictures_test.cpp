// README's pictures show the program as it is: one script makes them all, and what it makes today
// looks like what is committed.
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace ts::app {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> grey;  // width * height
};

Picture read_picture(const fs::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << path << image.message;
  image.format = PNG_FORMAT_GRAY;
  Picture picture{.width = static_cast<int>(image.width),
                  .height = static_cast<int>(image.height),
                  .grey = std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.grey.data(), 0, nullptr), 0);
  return picture;
}

std::set<std::string> pictures_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".png") names.insert(entry.path().filename().string());
  }
  return names;
}

// The logo, the menus and the tabs of the pages: they name neither the machine nor a measurement.
constexpr int kBarWidth = 560;
constexpr int kBarHeight = 40;
// Greys by which that part may differ on average: another version of a font differs by less, a
// missing or another tab by more.
constexpr double kSameBar = 2.5;

double difference_of_bars(const Picture& a, const Picture& b) {
  std::int64_t sum = 0;
  for (int y = 0; y < kBarHeight; ++y) {
    for (int x = 0; x < kBarWidth; ++x) {
      const auto at = static_cast<std::size_t>(y * a.width + x);
      sum += std::abs(a.grey[at] - b.grey[at]);
    }
  }
  return static_cast<double>(sum) / (kBarWidth * kBarHeight);
}

TEST(PicturesOfReadme, AreWhatTheirScriptMakes) {
  const TemporaryFolder made;
  const fs::path committed = fs::path(TENSORSCOPE_README).parent_path() / "docs/pictures";
  const std::string command = "'" + (committed / "make").string() +
                              "' '" TENSORSCOPE_PROGRAM "' '" + made.path().string() +
                              "' >/dev/null 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);

  std::set<std::string> named;
  const std::string readme = testing::read(TENSORSCOPE_README);
  const std::regex link(R"(!\[[^\]]*\]\(docs/pictures/([^)]+)\))");
  for (std::sregex_iterator i(readme.begin(), readme.end(), link), end; i != end; ++i) {
    named.insert((*i)[1]);
  }
  EXPECT_FALSE(named.empty());
  EXPECT_EQ(pictures_in(committed), named);
  // It needs a Python with torch; where there is one, the script fails unless it makes it.
  constexpr const char* kOfAScript = "own-script-dark.png";
  if (!fs::exists(made.path() / kOfAScript)) named.erase(kOfAScript);
  EXPECT_EQ(pictures_in(made.path()), named);
  for (const std::string& name : named) {
    SCOPED_TRACE(name);
    const Picture now = read_picture(made.path() / name);
    const Picture then = read_picture(committed / name);
    ASSERT_EQ(now.width, then.width);
    ASSERT_EQ(now.height, then.height);
    EXPECT_LT(difference_of_bars(now, then), kSameBar) << "make it again with docs/pictures/make";
  }
}

// On the projector's page the field for the card is in the row below the bar, and nowhere else.
TEST(PictureOfTheProjector, NamesTheCardOnce) {
  const TemporaryFolder made;
  std::vector<Picture> pictures;
  for (const char* const card : {"RTX 4090", "H200 SXM"}) {
    const fs::path path = made.path() / (std::string(card) + ".png");
    const testing::Ended ended = testing::run_program(
        "shot attention --set B=1 --set T=16 --workspace projector --size 1920x1080 --set "
        "'target_gpu=" +
        std::string(card) + "' --out '" + path.string() + "'");
    ASSERT_EQ(ended.code, 0) << ended.err;
    pictures.push_back(read_picture(path));
  }
  const auto differing = [&](int from, int to) {
    int rows = 0;
    for (int y = from; y < to; ++y) {
      const auto begin = static_cast<std::ptrdiff_t>(y) * pictures[0].width;
      const auto end = begin + pictures[0].width;
      rows += std::equal(pictures[0].grey.begin() + begin, pictures[0].grey.begin() + end,
                         pictures[1].grey.begin() + begin)
                  ? 0
                  : 1;
    }
    return rows;
  };
  // At 1.6 times the size of the window the bar takes 70 rows, that of the controls as many.
  EXPECT_EQ(differing(0, 68), 0);
  EXPECT_GT(differing(72, 140), 0);
}

}  // namespace
}  // namespace ts::app
