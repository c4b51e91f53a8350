#include <nlohmann/json.hpp>
#include <span>
#include <variant>
#include <vector>

#include "core/io/json_parse.h"
#include "core/run/recording.h"
#include "core/run/recording_format.h"
#include "core/run/recording_parts.h"
#include "core/run/recording_stream.h"
#include "core/run/step_json.h"
#include "core/text/message.h"

namespace ts::run {
namespace {

base::Result<std::shared_ptr<Run>> run_of(const nlohmann::json& header, std::string_view records,
                                          RunId id, base::StringTable& strings) {
  TS_TRY(auto started, recording_parts::started_from(header, id));
  auto run = std::make_shared<Run>(started);
  BatchUpdate update{id, {}};
  recording_parts::Decoder decoder(strings);
  if (auto read = decoder.read(header, records, update.batch); !read)
    return tl::unexpected(read.error());
  run->apply(std::move(update));
  run->script = header.value("script", std::string());  // recordings of older versions have none
  // Recordings of older versions have no peak of the allocator.
  run->apply(PeakUpdate{id, header.value("allocator_peak", std::int64_t{0})});
  const nlohmann::json& steps = header.at("steps");
  const auto send_steps = [&run](const nlohmann::json& all, SampleUpdate::Kind kind) {
    for (const StepTimes& times : steps_from(all)) run->apply(SampleUpdate{run->id, times, kind});
  };
  send_steps(steps.at("recorded"), SampleUpdate::Kind::recorded);
  send_steps(steps.at("warmup"), SampleUpdate::Kind::warmup);
  send_steps(steps.at("timed"), SampleUpdate::Kind::timed);
  send_steps(steps.at("probe"), SampleUpdate::Kind::probe);
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
  // Recordings of older versions have none.
  if (auto values = values_from(header.value("values", nlohmann::json())))
    run->apply(ValuesUpdate{id, std::move(*values)});
  run->apply(recording_parts::end_from(header, id));
  return run;
}

// Its first piece has no records.
bool is_journal(std::string_view file) {
  const auto first = recording_format::size_of(file);
  if (!first || *first == 0 || *first >= file.size()) return false;
  const auto parts = recording_format::parts_of(file.substr(0, *first));
  return parts && parts->records.empty();
}

// Up to the last whole piece: the process may have been killed inside one.
base::Result<std::shared_ptr<Run>> run_of_journal(std::string_view file, RunId id,
                                                  base::StringTable& strings) {
  RecordingStreamReader reader(id, strings);
  std::vector<Update> updates;
  TS_TRY_DONE(reader.feed(file, updates));
  auto run = std::make_shared<Run>(std::get<StartedUpdate>(updates.front()));
  run->script = reader.script();
  for (Update& update : std::span(updates).subspan(1)) run->apply(std::move(update));
  if (run->finished) return run;
  FinishedUpdate end;
  end.id = id;
  end.verdict = Verdict::failed;
  end.failure = Failure(cut_off());
  end.end_ns = run->trace.range().end;
  run->apply(std::move(end));
  return run;
}

}  // namespace

base::Message cut_off() {
  return text::message("live.cut");
}

bool is_cut_off(const Run& run) {
  return run.failure.key == cut_off().key;
}

base::Result<std::shared_ptr<Run>> read_recording(std::string_view file, RunId id,
                                                  base::StringTable& strings) {
  if (is_journal(file)) return run_of_journal(file, id, strings);
  const auto parts = recording_format::parts_of(file);
  if (!parts) {
    return text::fail(file.starts_with(recording_format::kMagic) ? "recording_error.damaged"
                                                                 : "recording_error.version");
  }
  const auto header = io::parse_json(parts->header);
  if (!header)
    return text::fail("recording_error.header", {text::argument("reason", header.error())});
  // A journal of which only the first piece was written.
  if (parts->records.empty() && header->is_object() && !header->contains("steps"))
    return run_of_journal(file, id, strings);
  try {
    return run_of(*header, parts->records, id, strings);
  } catch (const nlohmann::json::exception& error) {
    return text::fail("recording_error.content", {{"reason", error.what()}});
  }
}

}  // namespace ts::run
