// Reads the parts that a recording's file and its stream have in common.
#include <limits>
#include <nlohmann/json.hpp>

#include "core/run/protocol_json.h"
#include "core/run/recording_format.h"
#include "core/run/recording_parts.h"
#include "core/run/step_json.h"
#include "core/text/message.h"

namespace ts::run::recording_parts {

using recording_format::Numbers;

bool Decoder::read_records(std::string_view records, Bases bases, capture::Batch& batch) const {
  Numbers numbers(records);
  constexpr std::uint64_t kDeepest = 4096;
  const auto name = [&] { return names_[numbers.next(names_.size() - 1)]; };
  const auto after = [&](std::int64_t& before) {
    return before = recording_format::unzigzag(numbers.next(), before);
  };
  while (!numbers.at_end() && numbers.good()) {
    const std::uint64_t kind = numbers.next();
    if (kind == recording_format::kSlice && tracks_ > 0) {
      capture::Batch::Row row;
      row.track = static_cast<trace::TrackId>(numbers.next(tracks_ - 1));
      row.depth = static_cast<std::uint16_t>(numbers.next(kDeepest));
      row.slice.begin_ns = after(bases.slice_ns);
      row.slice.duration_ns = static_cast<std::int64_t>(numbers.next());
      row.slice.name = name();
      row.slice.module = name();
      row.slice.detail = name();
      row.slice.flow = static_cast<std::uint32_t>(numbers.next(UINT32_MAX));
      row.slice.slice_class =
          static_cast<trace::SliceClass>(numbers.next(trace::kSliceClassCount - 1));
      batch.slices.push_back(row);
    } else if (kind == recording_format::kMemory) {
      memory::Record record;
      record.time_ns = after(bases.record_ns);
      record.address = static_cast<std::uint64_t>(after(bases.address));
      record.size = static_cast<std::int64_t>(numbers.next());
      record.op = name();
      record.module = name();
      record.step = static_cast<std::int32_t>(numbers.next(INT32_MAX)) - 1;
      record.action = static_cast<memory::Action>(
          numbers.next(static_cast<std::uint64_t>(memory::Action::phase_end)));
      record.phase = static_cast<base::Phase>(numbers.next(base::kPhaseCount - 1));
      record.category = static_cast<memory::Category>(numbers.next(memory::kCategoryCount - 1));
      record.graph_kept = numbers.next(1) != 0;
      batch.memory.push_back(record);
    } else if (kind == recording_format::kLaunch) {
      const base::StringId detail = name();
      trace::KernelLaunch launch;
      launch.op = name();
      const auto size = [&] { return static_cast<std::int32_t>(numbers.next(INT32_MAX)); };
      for (std::int32_t& one : launch.grid) one = size();
      for (std::int32_t& one : launch.block) one = size();
      launch.registers = size();
      launch.shared_memory = static_cast<std::int64_t>(numbers.next(INT64_MAX));
      batch.launches.emplace_back(detail, launch);
    } else {
      return false;
    }
  }
  return numbers.good();
}

base::Result<void> Decoder::read_tracks(const nlohmann::json& header, capture::Batch& batch) {
  constexpr std::size_t kMostTracks = std::numeric_limits<trace::TrackId>::max();
  for (const nlohmann::json& track : header.at("tracks")) {
    const int kind = track.at(0).get<int>();
    const int last = static_cast<int>(trace::TrackKind::gpu_idle);
    if (kind < 0 || kind > last || tracks_ >= kMostTracks)
      return text::fail("recording_error.track");
    batch.tracks.push_back({static_cast<trace::TrackId>(tracks_++),
                            {static_cast<trace::TrackKind>(kind), track.at(1).get<std::string>(),
                             track.at(2).get<std::int16_t>()}});
  }
  return {};
}

base::Result<void> Decoder::read(const nlohmann::json& header, std::string_view records,
                                 capture::Batch& batch) {
  if (auto tracks = read_tracks(header, batch); !tracks) return tracks;
  for (const nlohmann::json& word : header.at("strings")) {
    names_.push_back(strings_->intern(word.get_ref<const std::string&>()));
  }
  Bases bases;  // only what goes on from an earlier piece has others
  if (const auto from = header.find("from"); from != header.end())
    bases = {from->at(0).get<std::int64_t>(), from->at(1).get<std::int64_t>(),
             from->at(2).get<std::int64_t>()};
  if (!read_records(records, bases, batch)) return text::fail("recording_error.records");
  batch.dropped = header.at("dropped").get<std::uint64_t>();
  // Recordings of older versions have none.
  batch.clock_drift_ns = header.value("clock_drift_ns", std::int64_t{0});
  return {};
}

base::Result<StartedUpdate> started_from(const nlohmann::json& header, RunId id) {
  StartedUpdate started;
  started.id = id;
  TS_TRY(started.spec, spec::spec_from_json(header.at("spec")));
  TS_TRY(started.protocol, protocol_from_json(header.at("protocol")));
  started.limit = header.at("limit").get<std::int64_t>();
  started.limit_source = header.at("limit_source").get<std::string>();
  started.begin_ns = header.at("begin_ns").get<std::int64_t>();
  started.target_capacity = header.at("target_capacity").get<std::int64_t>();
  started.device_name = header.at("device_name").get<std::string>();
  started.earlier_runs = header.at("earlier_runs").get<std::int64_t>();
  return started;
}

ScriptNotes notes_from(const nlohmann::json& json) {
  ScriptNotes notes;
  notes.kept_graphs = json.at("kept_graphs").get<std::int64_t>();
  for (const nlohmann::json& part : json.at("idle_parts")) {
    notes.idle_parts.push_back({part.at(0).get<std::string>(),
                                part.at(2).get<std::vector<std::string>>(),
                                part.at(1).get<bool>()});
  }
  return notes;
}

FinishedUpdate end_from(const nlohmann::json& header, RunId id) {
  FinishedUpdate end;
  end.id = id;
  const int verdict = header.at("verdict").get<int>();
  end.verdict = verdict >= 0 && verdict <= static_cast<int>(Verdict::failed)
                    ? static_cast<Verdict>(verdict)
                    : Verdict::failed;
  end.failure = failure_from(header.at("failure"), end.verdict);
  end.end_ns = header.at("end_ns").get<std::int64_t>();
  end.warmup_stable = header.at("warmup_stable").get<bool>();
  // Recordings of older versions have none.
  if (header.contains("notes")) end.notes = notes_from(header.at("notes"));
  return end;
}

}  // namespace ts::run::recording_parts
