#include "core/run/recording_stream.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/io/json_parse.h"
#include "core/run/recording_format.h"
#include "core/run/recording_parts.h"
#include "core/run/step_json.h"
#include "core/text/message.h"

namespace ts::run {

using recording_parts::piece_of;

RecordingStreamWriter::RecordingStreamWriter(const base::StringTable& strings)
    : encoder_(std::make_unique<recording_parts::Encoder>(strings)) {}
RecordingStreamWriter::~RecordingStreamWriter() = default;

std::string RecordingStreamWriter::begin(const Run& run) {
  return piece_of(recording_parts::run_header(run), {});
}

void RecordingStreamWriter::step(const StepTimes& times) {
  const std::lock_guard lock(mutex_);
  steps_.push_back(times);
}

std::string RecordingStreamWriter::piece(const capture::Batch& batch, std::int64_t peak) {
  return take_piece(batch, peak, nullptr);
}

void RecordingStreamWriter::skip(const capture::Batch& batch) {
  const std::lock_guard lock(mutex_);
  encoder_->add_tracks(batch);
  skipped_ += batch.slices.size() + batch.memory.size();
}

std::string RecordingStreamWriter::end(const Run& run, const std::string& file) {
  capture::Batch nothing;
  nothing.dropped = run.dropped;
  nothing.clock_drift_ns = run.clock_drift_ns;
  nlohmann::json end = recording_parts::run_header(run);
  end["file"] = file;
  return take_piece(nothing, run.allocator_peak, std::move(end));
}

std::string RecordingStreamWriter::take_piece(const capture::Batch& batch, std::int64_t peak,
                                              nlohmann::json end) {
  const std::lock_guard lock(mutex_);
  encoder_->add(batch);
  nlohmann::json header = encoder_->header();
  recording_parts::add_progress(
      {std::exchange(steps_, {}), batch.dropped + skipped_, batch.clock_drift_ns, peak}, header);
  if (!end.is_null()) header["end"] = std::move(end);
  std::string piece = piece_of(header, encoder_->records());
  encoder_->forget_written();
  return piece;
}

RecordingStreamReader::RecordingStreamReader(RunId id, base::StringTable& strings)
    : id_(id), decoder_(std::make_unique<recording_parts::Decoder>(strings)) {}
RecordingStreamReader::~RecordingStreamReader() = default;

base::Result<void> RecordingStreamReader::feed(std::string_view bytes, std::vector<Update>& out) {
  fed_ += bytes.size();
  if (fed_ > kMostStreamBytes) return text::fail("stream_error.large");
  waiting_ += bytes;
  std::size_t read = 0;
  base::Result<void> result;
  while (result && read < waiting_.size()) {
    const std::string_view rest = std::string_view(waiting_).substr(read);
    const auto size = recording_format::size_of(rest);
    if (!size || *size > kMostPieceBytes) {
      result = text::fail("recording_error.version");
    } else if (*size == 0 || *size > rest.size()) {
      break;  // not whole yet
    } else {
      result = read_piece(rest.substr(0, *size), out);
      read += *size;
    }
  }
  waiting_.erase(0, read);
  return result;
}

base::Result<void> RecordingStreamReader::read_piece(std::string_view piece,
                                                     std::vector<Update>& out) {
  const auto parts = recording_format::parts_of(piece);
  if (!parts) return text::fail("recording_error.damaged");
  const auto header = io::parse_json(parts->header);
  if (!header)
    return text::fail("recording_error.header", {text::argument("reason", header.error())});
  try {
    return take(*header, parts->records, out);
  } catch (const nlohmann::json::exception& error) {
    return text::fail("recording_error.content", {{"reason", error.what()}});
  }
}

// All of a piece or nothing.
base::Result<void> RecordingStreamReader::take(const nlohmann::json& header,
                                               std::string_view records, std::vector<Update>& out) {
  if (ended_) return text::fail("stream_error.after_end");
  if (!begun_) {
    TS_TRY(auto started, recording_parts::started_from(header, id_));
    script_ = header.at("script").get<std::string>();
    begun_ = true;
    out.emplace_back(std::move(started));
    return {};
  }
  BatchUpdate update{id_, {}};
  if (auto read = decoder_->read(header, records, update.batch); !read) return read;
  const std::vector<StepTimes> steps = steps_from(header.at("steps"));
  const PeakUpdate peak{id_, header.at("allocator_peak").get<std::int64_t>()};
  std::vector<Update> end;
  if (header.contains("end")) {
    const nlohmann::json& ended = header.at("end");
    end.emplace_back(FactsUpdate{id_, facts_from(ended.at("facts"))});
    end.emplace_back(recording_parts::end_from(ended, id_));
    file_ = ended.at("file").get<std::string>();
    ended_ = true;
  }
  out.emplace_back(std::move(update));
  for (const StepTimes& times : steps)
    out.emplace_back(SampleUpdate{id_, times, SampleUpdate::Kind::recorded});
  out.emplace_back(peak);
  for (Update& one : end) out.push_back(std::move(one));
  return {};
}

}  // namespace ts::run
