#include "kernels/layers/dropout.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ops/dropout.h>

#include <mutex>

namespace ts::kernels {

// The CPU's generator has an engine, CUDA's a seed and an offset.
struct RandomState::Numbers {
  at::mt19937 engine;
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

namespace {

thread_local int drawing = 0;

at::CPUGeneratorImpl& of_cpu() {
  return *at::check_generator<at::CPUGeneratorImpl>(at::detail::getDefaultCPUGenerator());
}

}  // namespace

at::Tensor drop(const at::Tensor& x, double share) {
  return share > 0 ? at::dropout(x, share, /*train=*/true) : x;
}

RandomState RandomState::of(c10::Device device) {
  auto numbers = std::make_shared<Numbers>();
  if (device.is_cpu()) {
    at::CPUGeneratorImpl& generator = of_cpu();
    const std::lock_guard lock(generator.mutex_);
    numbers->engine = generator.engine();
  } else if (device.is_cuda()) {
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::lock_guard lock(generator.mutex());
    numbers->seed = generator.current_seed();
    numbers->offset = generator.get_offset();
  }
  return {device, std::move(numbers)};
}

RandomState RandomState::seeded(c10::Device device, std::uint64_t seed) {
  auto numbers = std::make_shared<Numbers>();
  numbers->engine = at::mt19937(seed);
  numbers->seed = seed;
  return {device, std::move(numbers)};
}

void RandomState::restore() const {
  if (device_.is_cpu()) {
    at::CPUGeneratorImpl& generator = of_cpu();
    const std::lock_guard lock(generator.mutex_);
    generator.set_engine(numbers_->engine);
  } else if (device_.is_cuda()) {
    at::Generator generator = at::globalContext().defaultGenerator(device_);
    const std::lock_guard lock(generator.mutex());
    generator.set_current_seed(numbers_->seed);
    generator.set_offset(numbers_->offset);
  }
}

DrawsFrom::DrawsFrom(c10::Device device, RandomState& state)
    : device_(device), state_(state), before_(RandomState::of(device)) {
  state.restore();
  ++drawing;
}

DrawsFrom::~DrawsFrom() {
  --drawing;
  state_ = RandomState::of(device_);
  before_.restore();
}

bool DrawsFrom::alive() {
  return drawing > 0;
}

}  // namespace ts::kernels
