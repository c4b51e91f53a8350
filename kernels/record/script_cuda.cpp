#include "kernels/record/script_cuda.h"

#include <algorithm>
#include <utility>

#include "core/snapshot/snapshot_write.h"
#include "core/text/message.h"
#include "kernels/observe/failure.h"

namespace ts::kernels {

ScriptCuda::~ScriptCuda() {
  end();
}

void ScriptCuda::start() {
  if (started()) return;
  library_ = new CudaLibrary;
  const CudaApi* const api = library_->api();
  if (api == nullptr) {
    problem_ = text::message("record.no_cuda", {text::argument("reason", library_->unavailable())});
    return;
  }
  api->on_refused(note_refusal);
  for (int card = 0; card < api->device_count(); ++card) {
    CudaMemory before{};
    in_use_before_.push_back(api->memory(card, &before) == nullptr ? before.allocated : 0);
    if (limit_ > 0) api->set_limit(card, limit_);
  }
  trace_ = std::make_unique<AllocatorTrace>(*api, AllocatorTrace::Keep::newest);
  look();
}

void ScriptCuda::begin(capture::Recorder& recorder, Recording& recording) {
  recorder_ = &recorder;
  recording_ = &recording;
  if (card_ >= 0) capture();
  look();
}

void ScriptCuda::look() {
  if (trace_ == nullptr || recording_ == nullptr) return;
  if (card_ < 0) find_card();
  note_peak();
}

void ScriptCuda::find_card() {
  card_ = in_use_before_.size() == 1 ? 0 : recording_->card();
  if (card_ < 0) return;
  CudaDeviceFacts facts{};
  if (library_->api()->device_facts(card_, &facts) == nullptr) {
    name_ = facts.name;
    capacity_ = facts.memory_bytes;
  }
  library_->start_capture(card_);
  problem_ = library_->not_recorded();
  capture();
}

void ScriptCuda::capture() {
  capture::GpuCapture* const capture = library_->capture();
  if (capture == nullptr || captures_) return;
  if (const std::string why = capture->begin(*recorder_); !why.empty()) {
    problem_ = {why};
    return;
  }
  captures_ = true;
  recording_->set_marks(&library_->marks());
}

void ScriptCuda::end() {
  if (recording_ != nullptr) {
    recording_->set_marks(nullptr);
    note_peak();
  }
  if (captures_) {
    const CudaApi& api = *library_->api();
    for (int card = 0; card < api.device_count(); ++card) api.synchronize(card);
    library_->capture()->end();
  }
  captures_ = false;
  recorder_ = nullptr;
  recording_ = nullptr;
}

void ScriptCuda::note_peak() {
  if (card_ < 0) return;
  const std::int64_t before = in_use_before_[static_cast<std::size_t>(card_)];
  peak_ = std::max(peak_.load(), recording_->most_in_use() - before);
}

std::vector<base::Message> ScriptCuda::missing() const {
  std::vector<base::Message> found;
  if (!started() || (problem_.empty() && card_ < 0))
    found.push_back(text::message("record.no_card_used"));
  if (!problem_.empty()) found.push_back(problem_);
  if (in_use_before_.size() > 1 && card_ >= 0) {
    found.push_back(
        text::message("record.one_card", {{"name", name_}, {"index", std::to_string(card_)}}));
  }
  return found;
}

base::Result<void> ScriptCuda::write_snapshot(const std::filesystem::path& path,
                                              const base::StringTable& strings) const {
  const auto snapshot = trace_ != nullptr ? trace_->snapshot(strings) : nullptr;
  if (snapshot == nullptr) return tl::unexpected(text::message("record.no_snapshot"));
  return snapshot::write_snapshot(path, *snapshot, snapshot::snapshot_format_of(path));
}

}  // namespace ts::kernels
