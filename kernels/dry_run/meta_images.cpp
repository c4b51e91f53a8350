// Pooling and resizing of images. LibTorch's meta kernels give the results; on cpu the kernels take
// scratch besides.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/upsample_bicubic2d_meta_dispatch.h>
#include <ATen/ops/upsample_bilinear2d_meta_dispatch.h>
#include <ATen/ops/upsample_nearest1d_meta_dispatch.h>
#include <ATen/ops/upsample_nearest2d_backward_meta_dispatch.h>
#include <ATen/ops/upsample_nearest2d_meta_dispatch.h>
#include <torch/library.h>

#include <optional>
#include <vector>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

bool on_cpu() {
  const DryRecording* const dry = DryRecording::current();
  return dry != nullptr && !dry->for_cuda();
}

Tensor adaptive_avg_pool2d(const Tensor& input, c10::SymIntArrayRef size) {
  std::vector<std::int64_t> sizes = input.sizes().vec();
  sizes[sizes.size() - 2] = size[0].expect_int();
  sizes[sizes.size() - 1] = size[1].expect_int();
  return at::empty(sizes, input.options().memory_format(input.suggest_memory_format()));
}

Tensor adaptive_avg_pool2d_backward(const Tensor&, const Tensor& input) {
  return at::empty_like(input, input.suggest_memory_format());
}

// Small images are resized with their channels side by side, in copies; larger ones by a table of
// places and weights for each output row and column and each pixel that it takes.
// (ATen/native/cpu/UpSampleKernel.cpp of PyTorch 2.11, _use_vectorized_kernel_cond_2d.)
void resizing_on_cpu(const Tensor& input, const Tensor& output, int taps, bool may_copy) {
  if (!on_cpu()) return;
  constexpr std::int64_t kSmall = 128;
  const std::int64_t images = input.dim() - 2;
  const bool side_by_side =
      images == 2 && input.is_contiguous(at::MemoryFormat::ChannelsLast) && input.size(1) > 3;
  if (may_copy && (side_by_side || output.size(-1) + output.size(-2) <= kSmall)) {
    const auto format = at::MemoryFormat::ChannelsLast;
    const Tensor from = input.contiguous(format);
    const Tensor to = output.contiguous(format);
    return;
  }
  std::vector<Tensor> tables;
  for (std::int64_t dim = 2; dim < input.dim(); ++dim) {
    for (int tap = 0; tap < taps; ++tap) {
      tables.push_back(at::empty({output.size(dim)}, input.options().dtype(at::kLong)));
      tables.push_back(at::empty({output.size(dim)}, input.options()));
    }
  }
  for (Tensor& table : tables) table.reset();
}

Tensor upsample_nearest1d(const Tensor& input, at::IntArrayRef size, std::optional<double> scale) {
  Tensor output = at::meta::upsample_nearest1d(input, size, scale);
  resizing_on_cpu(input, output, 1, false);
  return output;
}
Tensor upsample_nearest2d(const Tensor& input, at::IntArrayRef size, std::optional<double> scale_h,
                          std::optional<double> scale_w) {
  Tensor output = at::meta::upsample_nearest2d(input, size, scale_h, scale_w);
  resizing_on_cpu(input, output, 1, true);
  return output;
}
Tensor upsample_nearest2d_backward(const Tensor& gradient, at::IntArrayRef size,
                                   at::IntArrayRef input_size, std::optional<double> scale_h,
                                   std::optional<double> scale_w) {
  Tensor result =
      at::meta::upsample_nearest2d_backward(gradient, size, input_size, scale_h, scale_w);
  const Tensor dense = on_cpu() ? gradient.contiguous() : Tensor();
  return result;
}
Tensor upsample_bilinear2d(const Tensor& input, at::IntArrayRef size, bool corners,
                           std::optional<double> scale_h, std::optional<double> scale_w) {
  Tensor output = at::meta::upsample_bilinear2d(input, size, corners, scale_h, scale_w);
  resizing_on_cpu(input, output, 2, true);
  return output;
}
Tensor upsample_bicubic2d(const Tensor& input, at::IntArrayRef size, bool corners,
                          std::optional<double> scale_h, std::optional<double> scale_w) {
  Tensor output = at::meta::upsample_bicubic2d(input, size, corners, scale_h, scale_w);
  resizing_on_cpu(input, output, 4, false);
  return output;
}

}  // namespace

void register_meta_images(torch::Library& library) {
  library.impl("_adaptive_avg_pool2d", adaptive_avg_pool2d);
  library.impl("_adaptive_avg_pool2d_backward", adaptive_avg_pool2d_backward);
  library.impl("upsample_nearest1d", upsample_nearest1d);
  library.impl("upsample_nearest2d", upsample_nearest2d);
  library.impl("upsample_nearest2d_backward", upsample_nearest2d_backward);
  library.impl("upsample_bilinear2d", upsample_bilinear2d);
  library.impl("upsample_bicubic2d", upsample_bicubic2d);
}

}  // namespace ts::kernels
