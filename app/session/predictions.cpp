#include "app/session/predictions.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "app/session/catalogue.h"
#include "core/spec/memory_limit.h"
#include "core/spec/spec_fields.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;

// The card, or on the CPU the typed limit, else the card's memory.
predict::PredictionTarget device_of(const spec::WorkloadSpec& spec, const spec::Gpu& gpu,
                                    const predict::PredictionTarget& card) {
  // On a GPU of this machine the card's rules apply; the worker handles its real memory.
  if (spec.device == spec::DeviceKind::cuda) return card;
  const spec::MemoryLimit limit = spec::memory_limit(spec, gpu.memory_bytes);
  return predict::cpu_target(limit.source, limit.bytes);
}

// Sizes with a slider, the ones most often dragged first.
std::vector<spec::Field> dragged_sizes() {
  std::vector<spec::Field> fields = {spec::Field::T, spec::Field::B};
  for (const spec::FieldRow& row : spec::field_rows()) {
    const auto* number = std::get_if<spec::NumberField>(&row.kind);
    if (number == nullptr || number->slider.max == 0) continue;
    if (std::ranges::find(fields, row.field) == fields.end()) fields.push_back(row.field);
  }
  return fields;
}

}  // namespace

Predictions::Predictions(predict::DryRunnerLoader loader, const spec::GpuCatalogue& gpus,
                         base::StringTable& strings)
    : loader_(std::move(loader)), gpus_(&gpus), strings_(&strings) {}

void Predictions::follow(const spec::WorkloadSpec& spec, const run::EngineInfo* engine) {
  if (!loader_ || engine == nullptr) return;
  const spec::Gpu* gpu = gpus_->find(spec.target_gpu);
  if (gpu == nullptr) return;
  // LibTorch is loaded by now: the worker has loaded it, its CUDA part first.
  if (!predictor_) {
    scratch_ = std::make_shared<const predict::CudaScratch>(built_in_scratch());
    predictor_ = std::make_unique<predict::Predictor>(loader_, *strings_);
  }
  outlook_ = predictor_->latest();
  if (asked_ == spec) return;
  asked_ = spec;
  predict::OutlookRequest request;
  request.spec = spec;
  request.target = predict::target_of(*gpu, spec);
  request.own = device_of(spec, *gpu, request.target);
  request.scratch = scratch_;
  request.sizes = dragged_sizes();
  predictor_->ask(std::move(request));
  awaited_ = true;
}

void Predictions::wait(std::chrono::steady_clock::time_point deadline) {
  if (!std::exchange(awaited_, false)) return;
  outlook_ = predictor_->latest_by(deadline);
}

bool Predictions::hunt(predict::HuntRequest request, bool here) {
  const spec::Gpu* gpu = gpus_->find(request.spec.target_gpu);
  if (predictor_ == nullptr || gpu == nullptr) return false;
  // The axes replace the sizes; an error in the other settings is an error in every cell.
  if (!allocator::AllocatorSettings::parse(request.spec.alloc_conf)) return false;
  request.target = predict::target_of(*gpu, request.spec);
  if (here) request.target = device_of(request.spec, *gpu, request.target);
  request.spec.device = request.target.kind;
  if (request.other) request.other->device = request.target.kind;
  request.scratch = scratch_;
  predictor_->hunt(std::move(request));
  return true;
}

void Predictions::cancel_hunt() {
  if (predictor_ != nullptr) predictor_->cancel_hunt();
}

std::shared_ptr<const predict::HuntProgress> Predictions::hunted() const {
  return predictor_ != nullptr ? predictor_->hunted() : nullptr;
}

bool Predictions::hunt_busy() const {
  return predictor_ != nullptr && predictor_->hunt_busy();
}

void Predictions::finish_hunt(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (hunt_busy() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(2ms);
}

bool Predictions::busy() const {
  return predictor_ != nullptr && predictor_->busy();
}

void Predictions::finish(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (busy() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(2ms);
}

}  // namespace ts::app
