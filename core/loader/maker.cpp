#include "core/loader/maker.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <memory>
#include <span>
#include <utility>

#include "core/text/message.h"

namespace ts::loader {
namespace {

using Kind = simulate::Interval::Kind;

constexpr double kLeastDrawn = 20e-6;        // shorter ones are not drawn
constexpr std::size_t kMostSpans = 400'000;  // of a worker

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// That this thread could have run, but another one had the core. Linux tells it where it is built
// to (proc(5), schedstat).
double queued_seconds() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran = 0, queued = 0;
  return file >> ran >> queued ? queued * 1e-9 : 0;
}

// All pixels of a batch in one block first.
void stack(const std::vector<ImageCaches::Pixels>& images, std::vector<std::uint8_t>& block) {
  block.clear();
  for (const ImageCaches::Pixels& one : images) block.insert(block.end(), one->begin(), one->end());
}

}  // namespace

std::vector<std::size_t> first_uses(const std::vector<Batch>& batches) {
  std::vector<std::size_t> first;
  std::size_t uses = 0;
  for (const Batch& batch : batches) {
    first.push_back(uses);
    for (const Row& row : batch.rows) uses += row.samples.size();
  }
  return first;
}

std::vector<std::string> all_samples(const DataSet& set, const base::CancelToken& cancel) {
  SampleReader reader(set);
  std::vector<std::string> all(set.samples.size());
  for (std::size_t i = 0; i < all.size() && !cancel.cancelled(); ++i) {
    if (!reader.read(set.samples[i], all[i])) all[i].clear();
  }
  return all;
}

ImageCaches caches_for(const Plan& plan, const std::vector<Batch>& batches,
                       const std::filesystem::path& folder) {
  std::vector<std::uint32_t> uses;
  for (const Batch& batch : batches) {
    for (const Row& row : batch.rows)
      uses.insert(uses.end(), row.samples.begin(), row.samples.end());
  }
  const std::size_t bytes = std::max<std::size_t>(1, image_bytes(plan));
  return {uses,
          {.room = static_cast<std::size_t>(plan.memory_cache) / bytes,
           .leaves = plan.known_order ? Leaves::farthest_next : Leaves::least_recent,
           .folder = plan.disk_cache ? folder : std::filesystem::path(),
           .image_bytes = bytes}};
}

void Made::note(base::Message fault) {
  if (faults.size() < kMostFaults) faults.push_back(std::move(fault));
}

void Made::span(std::size_t lane, const char* name, double from, double to, Kind kind) {
  if (spans.size() < kMostSpans)
    spans.push_back({.lane = lane, .name = name, .begin = from, .end = to, .kind = kind});
}

void Made::waited(std::size_t lane, double from, double to) {
  times.idle += to - from;
  if (to - from >= kLeastDrawn) span(lane, "waits", from, to, Kind::waiting);
}

MadeBatch Maker::make(std::size_t number, Buffers buffers) {
  // Reading the system's file is no part of the batch.
  const double queued = queued_seconds();
  const double processor = processor_seconds();
  MadeBatch batch{.begun = shop_->watch.now(), .buffers = std::move(buffers)};
  if (shop_->plan.images) {
    make_images(number, batch.buffers);
  } else {
    make_tokens(number, batch.buffers);
  }
  made.times.processor += processor_seconds() - processor;
  made.times.queued += queued_seconds() - queued;
  return batch;
}

// Since `from`, which becomes now.
void Maker::stage(const char* name, double& from, double WorkerTimes::*sum, Kind kind) {
  const double to = shop_->watch.now();
  made.times.*sum += to - from;
  made.span(lane_, name, from, to, kind);
  from = to;
}

void Maker::leave_out(const Sample& sample, base::Message why) {
  ++made.left_out;
  made.note(text::message("loader.left_out",
                          {{"name", sample.name}, text::argument("reason", std::move(why))}));
}

// False: it cannot be read.
bool Maker::read(std::uint32_t number) {
  const Sample& sample = shop_->set.samples[number];
  if (!shop_->kept.empty() && shop_->kept[number].size() == sample.bytes) {
    content_ = shop_->kept[number];
    return true;
  }
  const auto done = reader_.read(sample, room_);
  content_ = done.value_or(std::string_view());
  if (!done) leave_out(sample, done.error());
  made.bytes += content_.size();
  return done.has_value();
}

ImageCaches::Pixels Maker::image(std::uint32_t number, std::size_t use, double& from) {
  ImageCaches::Pixels pixels = shop_->caches.find(number, use);
  if (pixels != nullptr) {
    stage("kept", from, &WorkerTimes::read, Kind::communication);
    return pixels;
  }
  const Sample& sample = shop_->set.samples[number];
  const bool is_there = read(number);
  stage("read", from, &WorkerTimes::read, Kind::communication);
  if (!is_there) return nullptr;
  auto decoded = coder_.decompress(content_, shop_->plan.scaled_decode ? shop_->plan.side : 0);
  stage("decode", from, &WorkerTimes::decode);
  if (!decoded) {
    leave_out(sample, decoded.error());
    return nullptr;
  }
  pixels =
      std::make_shared<const std::vector<std::uint8_t>>(resized(*decoded, shop_->plan.side).pixels);
  shop_->caches.keep(number, pixels);
  stage("resize", from, &WorkerTimes::resize);
  return pixels;
}

void Maker::make_images(std::size_t number, Buffers& to) {
  const std::size_t numbers = image_bytes(shop_->plan);
  std::vector<ImageCaches::Pixels> images;
  std::size_t use = shop_->first_use[number];
  double from = shop_->watch.now();
  for (const Row& row : shop_->batches[number].rows) {
    if (shop_->cancel.cancelled()) return;
    for (const std::uint32_t sample : row.samples) {
      if (auto pixels = image(sample, use++, from)) images.push_back(std::move(pixels));
    }
  }
  to.pixels.resize(images.size() * numbers);
  if (shop_->plan.stacked) stack(images, to.stacked);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::span pixels =
        shop_->plan.stacked
            ? std::span<const std::uint8_t>(to.stacked).subspan(i * numbers, numbers)
            : std::span<const std::uint8_t>(*images[i]);
    normalise(pixels, std::span(to.pixels).subspan(i * numbers, numbers));
  }
  made.samples += images.size();
  stage("assemble", from, &WorkerTimes::assemble);
}

void Maker::make_tokens(std::size_t number, Buffers& to) {
  const Batch& batch = shop_->batches[number];
  double from = shop_->watch.now();
  std::vector<std::vector<std::string>> rows(batch.rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (shop_->cancel.cancelled()) return;
    for (const std::uint32_t sample : batch.rows[i].samples) {
      if (read(sample)) rows[i].emplace_back(content_);
    }
  }
  stage("read", from, &WorkerTimes::read, Kind::communication);
  to.tokens.assign(rows.size() * batch.width, 0);
  to.begins.assign(1, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t at = i * batch.width;
    for (const std::string& words : rows[i]) {
      // A byte is a token; 0 is padding.
      const std::size_t count = std::min(words.size(), (i + 1) * batch.width - at);
      for (std::size_t k = 0; k < count; ++k)
        to.tokens[at + k] = 1 + static_cast<unsigned char>(words[k]);
      at += count;
      to.begins.push_back(static_cast<std::int32_t>(at));
      made.tokens += count;
      ++made.samples;
    }
  }
  stage("assemble", from, &WorkerTimes::assemble);
}

}  // namespace ts::loader
