#include <nlohmann/json.hpp>

#include "core/run/protocol_json.h"
#include "core/run/recording.h"
#include "core/run/recording_format.h"
#include "core/run/recording_parts.h"
#include "core/run/step_json.h"

namespace ts::run {
namespace {

nlohmann::json packed_roof_json(const std::optional<Roof>& roof) {
  if (!roof) return nullptr;
  return {static_cast<int>(roof->dtype), roof->size, roof->tflops, roof->gb_s};
}

// A batch that goes beyond the limit is kept.
constexpr std::size_t kSpareBytes = std::size_t{1} << 20;

std::string text_of(const nlohmann::json& header) {
  return header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json notes_json(const ScriptNotes& notes) {
  auto parts = nlohmann::json::array();
  for (const ScriptNotes::IdlePart& part : notes.idle_parts)
    parts.push_back({part.module, part.gradients, part.inside});
  return {{"kept_graphs", notes.kept_graphs}, {"idle_parts", std::move(parts)}};
}

}  // namespace

std::string recording_parts::piece_of(const nlohmann::json& header, std::string_view records) {
  return recording_format::framed(text_of(header), records);
}

std::string recording_parts::piece_before_records(const nlohmann::json& header,
                                                  std::string_view records) {
  return recording_format::before_records(text_of(header), records);
}

nlohmann::json recording_parts::run_header(const Run& run) {
  return {{"spec", to_json(run.spec)},
          {"protocol", to_json(run.protocol)},
          {"limit", run.limit},
          {"limit_source", run.limit_source},
          {"target_capacity", run.target_capacity},
          {"begin_ns", run.begin_ns},
          {"end_ns", run.end_ns},
          {"device_name", run.device_name},
          {"script", run.script},
          {"notes", notes_json(run.notes)},
          {"earlier_runs", run.earlier_runs},
          {"roof", packed_roof_json(run.roof)},
          {"values", values_json(run.values)},
          {"verdict", static_cast<int>(run.verdict)},
          {"failure", failure_json(run.failure)},
          {"facts", facts_json(run.facts)},
          {"warmup_stable", run.warmup_stable},
          {"dropped", run.dropped},
          {"allocator_peak", run.allocator_peak},
          {"clock_drift_ns", run.clock_drift_ns}};
}

RecordingWriter::RecordingWriter(RunId id, const base::StringTable& strings, WhenFull when_full)
    : id_(id),
      when_full_(when_full),
      encoder_(std::make_unique<recording_parts::Encoder>(strings)) {
  // A script is likely to fill it: the collector takes its time from the script's.
  if (when_full == WhenFull::keep) encoder_->expect(kMostRecordingBytes + kSpareBytes);
}
RecordingWriter::~RecordingWriter() = default;

void RecordingWriter::add(const capture::Batch& batch) {
  if (too_large_) {
    lost_ += batch.slices.size() + batch.memory.size();
    return;
  }
  encoder_->add(batch);
  if (encoder_->records().size() > kMostRecordingBytes) {
    too_large_ = true;
    if (when_full_ == WhenFull::discard) encoder_->drop_records();
  }
}

std::string RecordingWriter::file(const Run& run) const {
  nlohmann::json header = recording_parts::run_header(run);
  header["dropped"] = run.dropped + lost_;
  header["steps"] = {{"recorded", steps_json(run.recorded_steps)},
                     {"warmup", steps_json(run.warmup_steps)},
                     {"timed", steps_json(run.timed_steps)},
                     {"probe", steps_json(run.probe_steps)}};
  header.update(encoder_->header());
  return recording_parts::piece_of(header, encoder_->records());
}

void recording_parts::add_progress(const RecordingProgress& progress, nlohmann::json& header) {
  header["dropped"] = progress.dropped;
  header["clock_drift_ns"] = progress.clock_drift_ns;
  header["allocator_peak"] = progress.peak;
  header["steps"] = steps_json(progress.steps);
}

RecordingWriter::Piece RecordingWriter::next_piece(RecordingProgress progress) {
  progress.dropped += lost_;
  nlohmann::json header = encoder_->new_header();
  recording_parts::add_progress(progress, header);
  const std::string_view records = encoder_->new_records();
  encoder_->mark();
  return {recording_parts::piece_before_records(header, records), records};
}

}  // namespace ts::run
