#include <nlohmann/json.hpp>

#include "core/run/recording_format.h"
#include "core/run/recording_parts.h"

namespace ts::run::recording_parts {

std::uint64_t Encoder::local(base::StringId id) {
  if (id == base::kNoString) return 0;
  if (locals_.size() <= id) locals_.resize(std::size_t{id} + 1);
  if (locals_[id] == 0) {
    ids_.push_back(id);
    locals_[id] = ++numbered_;
  }
  return locals_[id];
}

void Encoder::number(std::uint64_t value) {
  while (value >= 0x80) {
    buffer_[used_++] = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  buffer_[used_++] = static_cast<char>(value);
}

void Encoder::end_record() {
  constexpr std::size_t kMostRecordBytes = 256;  // 11 numbers of at most 10 bytes
  if (used_ + kMostRecordBytes > buffer_.size()) empty_buffer();
}

void Encoder::empty_buffer() {
  records_.append(buffer_.data(), used_);
  used_ = 0;
}

void Encoder::difference(std::int64_t value, std::int64_t& before) {
  number(recording_format::zigzag(value, before));
  before = value;
}

void Encoder::add_tracks(const capture::Batch& batch) {
  for (const auto& [id, track] : batch.tracks) tracks_.push_back(track);
}

void Encoder::add(const capture::Batch& batch) {
  add_tracks(batch);
  for (const auto& row : batch.slices) {
    number(recording_format::kSlice);
    number(row.track);
    number(row.depth);
    difference(row.slice.begin_ns, slice_ns_);
    number(static_cast<std::uint64_t>(row.slice.duration_ns));
    number(local(row.slice.name));
    number(local(row.slice.module));
    number(local(row.slice.detail));
    number(row.slice.flow);
    number(static_cast<std::uint64_t>(row.slice.slice_class));
    end_record();
  }
  for (const memory::Record& record : batch.memory) {
    number(recording_format::kMemory);
    difference(record.time_ns, record_ns_);
    difference(static_cast<std::int64_t>(record.address), address_);
    number(static_cast<std::uint64_t>(record.size));
    number(local(record.op));
    number(local(record.module));
    number(static_cast<std::uint32_t>(record.step + 1));
    number(static_cast<std::uint64_t>(record.action));
    number(static_cast<std::uint64_t>(record.phase));
    number(static_cast<std::uint64_t>(record.category));
    number(record.graph_kept ? 1 : 0);
    end_record();
  }
  for (const auto& [detail, launch] : batch.launches) {
    number(recording_format::kLaunch);
    number(local(detail));
    number(local(launch.op));
    for (const auto& sizes : {launch.grid, launch.block}) {
      for (const std::int32_t size : sizes) number(static_cast<std::uint32_t>(size));
    }
    number(static_cast<std::uint32_t>(launch.registers));
    number(static_cast<std::uint64_t>(launch.shared_memory));
    end_record();
  }
  empty_buffer();
  count_ += batch.slices.size() + batch.memory.size();
}

nlohmann::json Encoder::header() const {
  auto tracks = nlohmann::json::array();
  for (const trace::Track& track : tracks_) {
    tracks.push_back({static_cast<int>(track.kind), track.name, track.device});
  }
  auto words = nlohmann::json::array();
  for (const base::StringId id : ids_) words.push_back(strings_->view(id));
  return {{"tracks", std::move(tracks)}, {"strings", std::move(words)}, {"records", count_}};
}

void Encoder::forget_written() {
  ids_.clear();
  tracks_.clear();
  records_.clear();
  count_ = 0;
  slice_ns_ = record_ns_ = address_ = 0;
}

}  // namespace ts::run::recording_parts
