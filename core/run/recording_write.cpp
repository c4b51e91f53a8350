#include <nlohmann/json.hpp>

#include "core/run/protocol_json.h"
#include "core/run/recording.h"
#include "core/run/recording_format.h"
#include "core/run/step_json.h"
#include "core/text/message.h"

namespace ts::run {
namespace {

nlohmann::json packed_roof_json(const std::optional<Roof>& roof) {
  if (!roof) return nullptr;
  return {static_cast<int>(roof->dtype), roof->size, roof->tflops, roof->gb_s};
}

}  // namespace

std::uint64_t RecordingWriter::local(base::StringId id) {
  if (id == base::kNoString) return 0;
  if (locals_.size() <= id) locals_.resize(std::size_t{id} + 1);
  if (locals_[id] == 0) {
    ids_.push_back(id);
    locals_[id] = static_cast<std::uint32_t>(ids_.size());
  }
  return locals_[id];
}

void RecordingWriter::number(std::uint64_t value) {
  while (value >= 0x80) {
    records_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  records_ += static_cast<char>(value);
}

void RecordingWriter::difference(std::int64_t value, std::int64_t& before) {
  number(recording_format::zigzag(value, before));
  before = value;
}

void RecordingWriter::add(const capture::Batch& batch) {
  if (too_large_) {
    lost_ += batch.slices.size() + batch.memory.size();
    return;
  }
  for (const auto& [id, track] : batch.tracks) tracks_.push_back(track);
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
  }
  count_ += batch.slices.size() + batch.memory.size();
  if (records_.size() > kMostRecordingBytes) {
    too_large_ = true;
    if (when_full_ == WhenFull::discard) records_ = {};
  }
}

std::string RecordingWriter::file(const Run& run) const {
  auto tracks = nlohmann::json::array();
  for (const trace::Track& track : tracks_) {
    tracks.push_back({static_cast<int>(track.kind), track.name, track.device});
  }
  auto words = nlohmann::json::array();
  for (const base::StringId id : ids_) words.push_back(strings_->view(id));
  const nlohmann::json header = {{"spec", to_json(run.spec)},
                                 {"protocol", to_json(run.protocol)},
                                 {"limit", run.limit},
                                 {"limit_source", run.limit_source},
                                 {"target_capacity", run.target_capacity},
                                 {"begin_ns", run.begin_ns},
                                 {"end_ns", run.end_ns},
                                 {"device_name", run.device_name},
                                 {"script", run.script},
                                 {"earlier_runs", run.earlier_runs},
                                 {"roof", packed_roof_json(run.roof)},
                                 {"verdict", static_cast<int>(run.verdict)},
                                 {"failure", failure_json(run.failure)},
                                 {"facts", facts_json(run.facts)},
                                 {"warmup_stable", run.warmup_stable},
                                 {"dropped", run.dropped + lost_},
                                 {"allocator_peak", run.allocator_peak},
                                 {"clock_drift_ns", run.clock_drift_ns},
                                 {"steps",
                                  {{"recorded", steps_json(run.recorded_steps)},
                                   {"warmup", steps_json(run.warmup_steps)},
                                   {"timed", steps_json(run.timed_steps)},
                                   {"probe", steps_json(run.probe_steps)}}},
                                 {"tracks", std::move(tracks)},
                                 {"strings", std::move(words)},
                                 {"records", count_}};
  return recording_format::framed(
      header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), records_);
}

}  // namespace ts::run
