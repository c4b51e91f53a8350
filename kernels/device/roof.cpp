#include "kernels/device/roof.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <optional>

#include "core/base/clock.h"
#include "kernels/device/precision.h"
#include "kernels/observe/cancellation.h"

namespace ts::kernels {
namespace {

constexpr std::int64_t kSmallest = 512;
constexpr std::int64_t kLargest = 8192;
constexpr std::int64_t kFewest = 4;                        // products of a size; the first warms up
constexpr std::int64_t kTime = 60'000'000;                 // ns of products of a size, at least
constexpr std::int64_t kLongest = 200'000'000;             // ns, of one product
constexpr std::int64_t kCopied = std::int64_t{256} << 20;  // bytes: more than caches hold

// Nanoseconds of the fastest of several runs; the device is idle before each.
template <class Work>
std::int64_t fastest(Device& device, const Work& work) {
  std::int64_t best = INT64_MAX;
  std::int64_t spent = 0;
  for (std::int64_t i = 0; i < kFewest || spent < kTime; ++i) {
    check_cancelled();
    const std::int64_t begin = base::now_ns();
    work();
    device.synchronize();
    const std::int64_t took = base::now_ns() - begin;
    best = std::min(best, std::max<std::int64_t>(took, 1));
    spent += took;
  }
  return best;
}

std::int64_t fastest_product(Device& device, std::int64_t size, at::TensorOptions options) {
  const at::Tensor a = at::randn({size, size}, options);
  const at::Tensor b = at::randn({size, size}, options);
  at::Tensor c = at::empty({size, size}, options);
  device.synchronize();
  return fastest(device, [&] { at::mm_out(c, a, b); });
}

// 1e9 bytes a second. The first copy also maps the pages, and never counts.
double copy_rate(Device& device) {
  const auto options = at::TensorOptions().device(device.torch_device()).dtype(at::kFloat);
  const at::Tensor from = at::zeros({kCopied / 4}, options);
  const at::Tensor to = at::zeros({kCopied / 4}, options);
  device.synchronize();
  const std::int64_t ns = fastest(device, [&] { to.copy_(from); });
  return 2 * static_cast<double>(kCopied) / static_cast<double>(ns);
}

// The best product in that type, where it is better than the one that the roof has.
void take_products(Device& device, spec::DataType type, run::Roof& roof) {
  const auto options = at::TensorOptions().device(device.torch_device()).dtype(scalar_type(type));
  for (std::int64_t size = kSmallest; size <= kLargest; size *= 2) {
    const std::int64_t ns = fastest_product(device, size, options);
    const auto n = static_cast<double>(size);
    const double tflops = 2 * n * n * n / static_cast<double>(ns) * 1e-3;
    if (tflops > roof.tflops) {
      roof.dtype = type;
      roof.tflops = tflops;
      roof.size = size;
    }
    constexpr std::int64_t kTimesTheWork = 8;  // of the next size
    if (ns * kTimesTheWork > kLongest) break;
  }
}

}  // namespace

run::Roof best_rates(Device& device, spec::DataType type, const base::CancelToken& cancel) {
  const CancelScope scope(cancel);
  const at::NoGradGuard no_grad;
  std::optional<Float32Scope> matmuls;
  if (device.torch_device().is_cuda()) matmuls.emplace(type);
  run::Roof roof;
  take_products(device, type, roof);
  const bool is_16_bit = type == spec::DataType::bf16 || type == spec::DataType::fp16;
  if (device.torch_device().is_cpu() && is_16_bit) {
    take_products(device, spec::DataType::fp32, roof);
  }
  roof.gb_s = copy_rate(device);
  return roof;
}

}  // namespace ts::kernels
