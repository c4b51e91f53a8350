// A data set with a seed, written by one thread: what is measured is how it is loaded.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <system_error>

#include "core/io/file.h"
#include "core/loader/data_set.h"
#include "core/loader/image.h"
#include "core/loader/random.h"
#include "core/loader/tar.h"
#include "core/text/message.h"

namespace ts::loader {
namespace {

namespace fs = std::filesystem;

// A value of its own for each sample.
std::uint64_t seed_of(const Plan& plan, std::size_t sample) {
  return plan.seed * 0xD1342543DE82EF95U + sample * 0xA0761D6478BD642FU;
}

// The eight digits of WebDataset.
std::string key_of(std::size_t sample) {
  const std::string digits = std::to_string(sample);
  return std::string(8 - std::min<std::size_t>(8, digits.size()), '0') + digits;
}

// Two waves in each color and grain, which compress about as photographs do.
Image picture(const Plan& plan, std::size_t sample) {
  Random random(seed_of(plan, sample));
  Image image{.width = plan.image_width, .height = plan.image_height};
  image.pixels.resize(image.width * image.height * 3);
  for (std::size_t color = 0; color < 3; ++color) {
    const double across = 0.005 + 0.05 * random.share();
    const double down = 0.005 + 0.05 * random.share();
    std::vector<double> wave(image.width);
    for (std::size_t x = 0; x < image.width; ++x)
      wave[x] = 128 + 50 * std::sin(static_cast<double>(x) * across);
    for (std::size_t y = 0; y < image.height; ++y) {
      const double row = 50 * std::cos(static_cast<double>(y) * down);
      for (std::size_t x = 0; x < image.width; ++x) {
        const auto grain = static_cast<double>(random.next() >> 60U);
        image.pixels[(y * image.width + x) * 3 + color] =
            static_cast<std::uint8_t>(wave[x] + row + grain);
      }
    }
  }
  return image;
}

// Words of two to nine letters.
std::string words(const Plan& plan, std::size_t sample, std::size_t bytes) {
  Random random(seed_of(plan, sample));
  std::string made;
  made.reserve(bytes + 10);
  while (made.size() < bytes) {
    for (std::size_t left = 2 + random.below(8); left > 0; --left)
      made += static_cast<char>('a' + random.below(26));
    made += ' ';
  }
  made.resize(bytes);
  return made;
}

// Where samples go: each into a file, or into the archive that is being written.
class Writer {
 public:
  Writer(fs::path folder, const Plan& plan) : folder_(std::move(folder)), plan_(&plan) {}
  base::Result<void> add(std::size_t sample, const std::string& content) {
    const std::string name = key_of(sample) + (plan_->images ? ".jpg" : ".txt");
    if (!plan_->sharded) return write(folder_ / name, content);
    shard_ += tar_member(name, content);
    if (plan_->images) {
      shard_ += tar_member(key_of(sample) + ".txt", "waves " + std::to_string(sample));
      shard_ += tar_member(key_of(sample) + ".json", "{\"sample\":" + std::to_string(sample) + "}");
    }
    const bool full = (sample + 1) % plan_->shard_samples == 0;
    return full || sample + 1 == plan_->samples ? end_shard() : base::Result<void>();
  }
  base::Result<void> end_shard() {
    const std::string name = "shard-" + key_of(shards_++).substr(2) + ".tar";
    const auto written = write(folder_ / name, shard_ + tar_end());
    shard_.clear();
    return written;
  }

 private:
  static base::Result<void> write(const fs::path& path, const std::string& content) {
    std::ofstream file(path, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (file) return {};
    return text::fail("loader_error.not_written", {{"path", path.string()}});
  }

  fs::path folder_;
  const Plan* plan_;
  std::string shard_;
  std::size_t shards_ = 0;
};

// Sample `i` of `all` when `some` of them are spread evenly.
bool is_one_of(std::size_t i, std::size_t some, std::size_t all) {
  some = std::min(some, all);
  return (i + 1) * some / all != i * some / all;
}

base::Result<void> prepare_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    return text::fail("loader_error.not_empty", {{"folder", folder.string()}});
  return io::make_folder(folder);
}

}  // namespace

std::vector<std::uint32_t> made_lengths(const Plan& plan) {
  // An order of its own, so that texts do not change with it.
  Random random(plan.seed + 0x5EED);
  std::vector<std::uint32_t> lengths(plan.samples);
  const double deviation = static_cast<double>(plan.spread) / 100;
  constexpr double kLongest = 1 << 20;
  for (std::uint32_t& length : lengths) {
    const double drawn = static_cast<double>(plan.median) * std::exp(deviation * random.normal());
    length = static_cast<std::uint32_t>(std::clamp(std::round(drawn), 1.0, kLongest));
  }
  return lengths;
}

base::Result<void> make_data_set(const fs::path& folder, const Plan& plan,
                                 const base::CancelToken& cancel,
                                 const std::function<void(std::size_t)>& told) {
  if (auto prepared = prepare_folder(folder); !prepared) return prepared;
  Writer writer(folder, plan);
  JpegCoder coder;
  const auto lengths = plan.images ? std::vector<std::uint32_t>() : made_lengths(plan);
  for (std::size_t i = 0; plan.sharded && i < plan.empty; ++i) {
    if (auto ended = writer.end_shard(); !ended) return ended;
  }
  for (std::size_t i = 0; i < plan.samples; ++i) {
    if (cancel.cancelled()) return text::fail("loader_error.cancelled");
    std::string content =
        plan.images ? coder.compress(picture(plan, i), plan.quality) : words(plan, i, lengths[i]);
    if (is_one_of(i, plan.broken, plan.samples)) content.resize(content.size() / 2);
    if (auto added = writer.add(i, content); !added) return added;
    if (told) told(i + 1);
  }
  return {};
}

}  // namespace ts::loader
