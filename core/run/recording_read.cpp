#include <nlohmann/json.hpp>

#include "core/io/json_parse.h"
#include "core/run/recording.h"
#include "core/run/recording_format.h"
#include "core/run/recording_parts.h"
#include "core/run/step_json.h"
#include "core/text/message.h"

namespace ts::run {
namespace {

base::Result<std::shared_ptr<Run>> run_of(const nlohmann::json& header, std::string_view records,
                                          RunId id, base::StringTable& strings) {
  auto started = recording_parts::started_from(header, id);
  if (!started) return tl::unexpected(started.error());
  auto run = std::make_shared<Run>(*started);
  BatchUpdate update{id, {}};
  recording_parts::Decoder decoder(strings);
  if (auto read = decoder.read(header, records, update.batch); !read)
    return tl::unexpected(read.error());
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
  // Recordings of older versions have none.
  if (auto values = values_from(header.value("values", nlohmann::json())))
    run->apply(ValuesUpdate{id, std::move(*values)});
  run->apply(recording_parts::end_from(header, id));
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
