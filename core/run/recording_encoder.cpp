#include <nlohmann/json.hpp>
#include <span>

#include "core/run/recording_format.h"
#include "core/run/recording_parts.h"

namespace ts::run::recording_parts {
namespace {

// Writes a number at `at`, which points to room enough: a local pointer stays in a register.
void put(char*& at, std::uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
}

void put_difference(char*& at, std::int64_t value, std::int64_t& before) {
  put(at, recording_format::zigzag(value, before));
  before = value;
}

}  // namespace

std::uint64_t Encoder::new_local(base::StringId id) {
  if (locals_.size() <= id) locals_.resize(std::size_t{id} + 1);
  ids_.push_back(id);
  return locals_[id] = ++numbered_;
}

char* Encoder::after_record(char* at) {
  constexpr std::ptrdiff_t kMostRecordBytes = 256;  // 11 numbers of at most 10 bytes
  return buffer_.data() + buffer_.size() - at < kMostRecordBytes ? empty_buffer(at) : at;
}

char* Encoder::empty_buffer(const char* end) {
  records_.append(buffer_.data(), static_cast<std::size_t>(end - buffer_.data()));
  return buffer_.data();
}

void Encoder::add_tracks(const capture::Batch& batch) {
  for (const auto& [id, track] : batch.tracks) tracks_.push_back(track);
}

void Encoder::add(const capture::Batch& batch) {
  add_tracks(batch);
  char* at = buffer_.data();
  for (const auto& row : batch.slices) {
    put(at, recording_format::kSlice);
    put(at, row.track);
    put(at, row.depth);
    put_difference(at, row.slice.begin_ns, bases_.slice_ns);
    put(at, static_cast<std::uint64_t>(row.slice.duration_ns));
    put(at, local(row.slice.name));
    put(at, local(row.slice.module));
    put(at, local(row.slice.detail));
    put(at, row.slice.flow);
    put(at, static_cast<std::uint64_t>(row.slice.slice_class));
    at = after_record(at);
  }
  for (const memory::Record& record : batch.memory) {
    put(at, recording_format::kMemory);
    put_difference(at, record.time_ns, bases_.record_ns);
    put_difference(at, static_cast<std::int64_t>(record.address), bases_.address);
    put(at, static_cast<std::uint64_t>(record.size));
    put(at, local(record.op));
    put(at, local(record.module));
    put(at, static_cast<std::uint32_t>(record.step + 1));
    put(at, static_cast<std::uint64_t>(record.action));
    put(at, static_cast<std::uint64_t>(record.phase));
    put(at, static_cast<std::uint64_t>(record.category));
    put(at, record.graph_kept ? 1 : 0);
    at = after_record(at);
  }
  for (const auto& [detail, launch] : batch.launches) {
    put(at, recording_format::kLaunch);
    put(at, local(detail));
    put(at, local(launch.op));
    for (const auto& sizes : {launch.grid, launch.block}) {
      for (const std::int32_t size : sizes) put(at, static_cast<std::uint32_t>(size));
    }
    put(at, static_cast<std::uint32_t>(launch.registers));
    put(at, static_cast<std::uint64_t>(launch.shared_memory));
    at = after_record(at);
  }
  empty_buffer(at);
  count_ += batch.slices.size() + batch.memory.size();
}

void Encoder::mark() {
  marked_ = {.tracks = tracks_.size(),
             .strings = ids_.size(),
             .bytes = records_.size(),
             .records = count_,
             .bases = bases_};
}

nlohmann::json Encoder::header() const {
  return header_since({});
}

nlohmann::json Encoder::new_header() const {
  return header_since(marked_);
}

nlohmann::json Encoder::header_since(const Place& since) const {
  auto tracks = nlohmann::json::array();
  for (const trace::Track& track : std::span(tracks_).subspan(since.tracks)) {
    tracks.push_back({static_cast<int>(track.kind), track.name, track.device});
  }
  auto words = nlohmann::json::array();
  for (const base::StringId id : std::span(ids_).subspan(since.strings))
    words.push_back(strings_->view(id));
  nlohmann::json header = {{"tracks", std::move(tracks)},
                           {"strings", std::move(words)},
                           {"records", count_ - since.records}};
  if (since.bytes > 0) {
    const Bases& from = since.bases;
    header["from"] = {from.slice_ns, from.record_ns, from.address};
  }
  return header;
}

void Encoder::forget_written() {
  ids_.clear();
  tracks_.clear();
  records_.clear();
  count_ = 0;
  bases_ = {};
  marked_ = {};
}

}  // namespace ts::run::recording_parts
