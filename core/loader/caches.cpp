#include "core/loader/caches.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

namespace ts::loader {

CacheRule::CacheRule(std::span<const std::uint32_t> order, std::size_t room, Leaves leaves)
    : order_(order.begin(), order.end()), next_(order.size()), room_(room), leaves_(leaves) {
  std::unordered_map<std::uint32_t, std::size_t> later;
  for (std::size_t i = order_.size(); i-- > 0;) {
    const auto found = later.find(order_[i]);
    next_[i] = found == later.end() ? order_.size() : found->second;
    later[order_[i]] = i;
  }
}

bool CacheRule::use(std::size_t at) {
  left_ = kNobody;
  const std::uint32_t sample = order_[at];
  // The least recent has the lowest place of its last use, the farthest the lowest of its negative.
  const std::int64_t rank = leaves_ == Leaves::least_recent ? static_cast<std::int64_t>(at)
                                                            : -static_cast<std::int64_t>(next_[at]);
  const auto found = rank_.find(sample);
  const bool hit = found != rank_.end();
  if (hit) kept_.erase({found->second, sample});
  rank_[sample] = rank;
  kept_.insert({rank, sample});
  if (kept_.size() > room_) {
    left_ = kept_.begin()->second;
    rank_.erase(left_);
    kept_.erase(kept_.begin());
  }
  return hit;
}

double hit_share(std::span<const std::uint32_t> order, std::size_t room, Leaves leaves) {
  if (order.empty()) return 0;
  CacheRule rule(order, room, leaves);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < order.size(); ++i) hits += rule.use(i) ? 1 : 0;
  return static_cast<double>(hits) / static_cast<double>(order.size());
}

ImageCaches::ImageCaches(std::span<const std::uint32_t> order, Rules rules)
    : rules_(std::move(rules)), rule_(order, rules_.room, rules_.leaves) {
  const auto last = std::ranges::max_element(order);
  on_disk_.resize(last == order.end() ? 0 : *last + std::size_t{1});
}

std::filesystem::path ImageCaches::file_of(std::uint32_t sample) const {
  return rules_.folder / (std::to_string(sample) + ".rgb");
}

ImageCaches::Pixels ImageCaches::read(std::uint32_t sample) const {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(rules_.image_bytes);
  std::ifstream file(file_of(sample), std::ios::binary);
  file.read(reinterpret_cast<char*>(pixels->data()), static_cast<std::streamsize>(pixels->size()));
  return file ? pixels : nullptr;
}

// Under a name of its own first: another worker may be writing the same sample.
bool ImageCaches::write(std::uint32_t sample, const std::vector<std::uint8_t>& pixels) const {
  const std::filesystem::path whole = file_of(sample);
  std::filesystem::path part = whole;
  part += "." + std::to_string(reinterpret_cast<std::uintptr_t>(pixels.data()));
  std::ofstream file(part, std::ios::binary);
  file.write(reinterpret_cast<const char*>(pixels.data()),
             static_cast<std::streamsize>(pixels.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, whole, error);
  return file && !error;
}

ImageCaches::Pixels ImageCaches::find(std::uint32_t sample, std::size_t at) {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.uses;
    if (rules_.room > 0) {
      rule_.use(at);
      kept_.erase(rule_.left());
      const auto found = kept_.find(sample);
      if (found != kept_.end()) {
        ++counts_.memory;
        return found->second;
      }
    }
    if (!on_disk_[sample]) return nullptr;
  }
  Pixels pixels = read(sample);
  if (pixels == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  ++counts_.disk;
  if (rule_.keeps(sample)) kept_[sample] = pixels;
  return pixels;
}

void ImageCaches::keep(std::uint32_t sample, const Pixels& pixels) {
  if (!rules_.folder.empty()) {
    const bool written = write(sample, *pixels);
    const std::lock_guard lock(mutex_);
    on_disk_[sample] = written;
  }
  const std::lock_guard lock(mutex_);
  if (rule_.keeps(sample)) kept_[sample] = pixels;
}

ImageCaches::Counts ImageCaches::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace ts::loader
