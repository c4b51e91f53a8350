#include <limits>
#include <nlohmann/json.hpp>

#include "core/io/json_parse.h"
#include "core/run/protocol_json.h"
#include "core/run/recording.h"
#include "core/run/recording_format.h"
#include "core/run/step_json.h"
#include "core/text/message.h"

namespace ts::run {
namespace {

using recording_format::Numbers;

FinishedUpdate end_of(const nlohmann::json& header, RunId id) {
  FinishedUpdate end;
  end.id = id;
  const int verdict = header.at("verdict").get<int>();
  end.verdict = verdict >= 0 && verdict <= static_cast<int>(Verdict::failed)
                    ? static_cast<Verdict>(verdict)
                    : Verdict::failed;
  end.failure = failure_from(header.at("failure"), end.verdict);
  end.end_ns = header.at("end_ns").get<std::int64_t>();
  end.warmup_stable = header.at("warmup_stable").get<bool>();
  return end;
}

// Reads everything after the header. `names` are the file's strings; 0 is none.
bool read_records(Numbers numbers, std::size_t tracks, const std::vector<base::StringId>& names,
                  capture::Batch& batch) {
  constexpr std::uint64_t kDeepest = 4096;
  std::int64_t slice_ns = 0;
  std::int64_t record_ns = 0;
  std::int64_t address = 0;
  const auto name = [&] { return names[numbers.next(names.size() - 1)]; };
  const auto after = [&](std::int64_t& before) {
    return before = recording_format::unzigzag(numbers.next(), before);
  };
  while (!numbers.at_end() && numbers.good()) {
    const std::uint64_t kind = numbers.next();
    if (kind == recording_format::kSlice && tracks > 0) {
      capture::Batch::Row row;
      row.track = static_cast<trace::TrackId>(numbers.next(tracks - 1));
      row.depth = static_cast<std::uint16_t>(numbers.next(kDeepest));
      row.slice.begin_ns = after(slice_ns);
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
      record.time_ns = after(record_ns);
      record.address = static_cast<std::uint64_t>(after(address));
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

base::Result<std::shared_ptr<Run>> run_of(const nlohmann::json& header, std::string_view records,
                                          RunId id, base::StringTable& strings) {
  StartedUpdate started;
  started.id = id;
  auto spec = spec::spec_from_json(header.at("spec"));
  if (!spec) return tl::unexpected(spec.error());
  started.spec = std::move(*spec);
  auto protocol = protocol_from_json(header.at("protocol"));
  if (!protocol) return tl::unexpected(protocol.error());
  started.protocol = *protocol;
  started.limit = header.at("limit").get<std::int64_t>();
  started.limit_source = header.at("limit_source").get<std::string>();
  started.begin_ns = header.at("begin_ns").get<std::int64_t>();
  started.target_capacity = header.at("target_capacity").get<std::int64_t>();
  started.device_name = header.at("device_name").get<std::string>();
  started.earlier_runs = header.at("earlier_runs").get<std::int64_t>();
  auto run = std::make_shared<Run>(started);

  BatchUpdate update{id, {}};
  for (const nlohmann::json& track : header.at("tracks")) {
    const int kind = track.at(0).get<int>();
    const int last = static_cast<int>(trace::TrackKind::gpu_idle);
    if (kind < 0 || kind > last) return text::fail("recording_error.track");
    update.batch.tracks.push_back(
        {static_cast<trace::TrackId>(update.batch.tracks.size()),
         {static_cast<trace::TrackKind>(kind), track.at(1).get<std::string>(),
          track.at(2).get<std::int16_t>()}});
  }
  std::vector<base::StringId> names = {base::kNoString};
  for (const nlohmann::json& word : header.at("strings")) {
    names.push_back(strings.intern(word.get_ref<const std::string&>()));
  }
  if (!read_records(Numbers(records), update.batch.tracks.size(), names, update.batch)) {
    return text::fail("recording_error.records");
  }
  update.batch.dropped = header.at("dropped").get<std::uint64_t>();
  update.batch.clock_drift_ns = header.value("clock_drift_ns", std::int64_t{0});
  run->apply(std::move(update));
  run->script = header.value("script", std::string());  // recordings of older versions have none
  // Recordings of older versions have no peak of the allocator.
  run->apply(PeakUpdate{id, header.value("allocator_peak", std::int64_t{0})});
  const nlohmann::json& steps = header.at("steps");
  const auto tell_steps = [&run](const nlohmann::json& all, SampleUpdate::Kind kind) {
    for (const StepTimes& times : steps_from(all)) run->apply(SampleUpdate{run->id, times, kind});
  };
  tell_steps(steps.at("recorded"), SampleUpdate::Kind::recorded);
  tell_steps(steps.at("warmup"), SampleUpdate::Kind::warmup);
  tell_steps(steps.at("timed"), SampleUpdate::Kind::timed);
  tell_steps(steps.at("probe"), SampleUpdate::Kind::probe);
  run->apply(FactsUpdate{id, facts_from(header.at("facts"))});
  if (const nlohmann::json& roof = header.at("roof"); !roof.is_null()) {
    const int type = roof.at(0).get<int>();
    if (type < 0 || type > static_cast<int>(spec::DataType::fp16)) {
      return text::fail("recording_error.roof");
    }
    run->apply(RoofUpdate{id,
                          {static_cast<spec::DataType>(type), roof.at(1).get<std::int64_t>(),
                           roof.at(2).get<double>(), roof.at(3).get<double>()}});
  }
  run->apply(end_of(header, id));
  return run;
}

}  // namespace

base::Result<std::shared_ptr<Run>> read_recording(std::string_view file, RunId id,
                                                  base::StringTable& strings) {
  const auto parts = recording_format::parts_of(file);
  if (!parts) {
    return text::fail(file.starts_with(recording_format::kMagic) ? "recording_error.damaged"
                                                                 : "recording_error.version");
  }
  const auto header = io::parse_json(parts->header);
  if (!header)
    return text::fail("recording_error.header", {text::argument("reason", header.error())});
  try {
    return run_of(*header, parts->records, id, strings);
  } catch (const nlohmann::json::exception& error) {
    return text::fail("recording_error.content", {{"reason", error.what()}});
  }
}

}  // namespace ts::run
