// Pooling and resizing of images. LibTorch's meta kernels give the results; the kernels take copies
// and, on cpu, scratch besides.
#include <ATen/MetaFunctions.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/pixel_shuffle_native.h>
#include <ATen/ops/pixel_unshuffle_native.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

Tensor adaptive_avg_pool2d(const Tensor& input, c10::SymIntArrayRef size) {
  std::vector<std::int64_t> sizes = input.sizes().vec();
  sizes[sizes.size() - 2] = size[0].expect_int();
  sizes[sizes.size() - 1] = size[1].expect_int();
  return at::empty(sizes, input.options().memory_format(input.suggest_memory_format()));
}

// The backward of pooling wants its gradient dense. On cpu in the gradient's own format, which a
// gradient of stride 0 says to be that of rows; images whose channels lie side by side are then
// filled through a copy. (ATen/native/cpu/AvgPoolKernel.cpp, AdaptiveAvgPoolKernel.cpp,
// MaxPoolKernel.cpp; ATen/native/cuda/AveragePool2d.cu, DilatedMaxPool2d.cu.)
void take_dense(const Tensor& gradient, const Tensor& input, const Tensor& indices,
                const Tensor& result) {
  if (DryRecording::current() == nullptr || gradient.numel() == 0) return;
  const bool cpu = DryRecording::follows_cpu();
  const auto format = cpu ? gradient.suggest_memory_format() : input.suggest_memory_format();
  const Tensor dense = gradient.contiguous(format);
  const Tensor places = indices.defined() ? indices.contiguous(format) : Tensor();
  const Tensor filled = cpu ? result.contiguous(format) : Tensor();
}

Tensor adaptive_avg_pool2d_backward(const Tensor& gradient, const Tensor& input) {
  Tensor result = at::empty_like(input, input.suggest_memory_format());
  // On cuda only rows are wanted dense.
  if (DryRecording::follows_cpu() || input.suggest_memory_format() == at::MemoryFormat::Contiguous)
    take_dense(gradient, input, Tensor(), result);
  return result;
}

Tensor adaptive_max_pool2d_backward(const Tensor& gradient, const Tensor& input,
                                    const Tensor& indices) {
  Tensor result = at::meta::adaptive_max_pool2d_backward(gradient, input, indices);
  take_dense(gradient, input, indices, result);
  return result;
}

Tensor avg_pool2d_backward(const Tensor& gradient, const Tensor& input, at::IntArrayRef kernel,
                           at::IntArrayRef stride, at::IntArrayRef padding, bool ceil,
                           bool counts_padding, std::optional<std::int64_t> divisor) {
  Tensor result = at::meta::avg_pool2d_backward(gradient, input, kernel, stride, padding, ceil,
                                                counts_padding, divisor);
  take_dense(gradient, input, Tensor(), result);
  return result;
}

Tensor max_pool2d_backward(const Tensor& gradient, const Tensor& input, at::IntArrayRef kernel,
                           at::IntArrayRef stride, at::IntArrayRef padding,
                           at::IntArrayRef dilation, bool ceil, const Tensor& indices) {
  Tensor result = at::meta::max_pool2d_with_indices_backward(gradient, input, kernel, stride,
                                                             padding, dilation, ceil, indices);
  take_dense(gradient, input, indices, result);
  return result;
}

// Volumes. (ATen/native/AdaptiveAveragePooling3d.cpp, AveragePool3d.cpp, DilatedMaxPool3d.cpp, and
// their counterparts in cuda/.)
Tensor volumes_backward(const Tensor& gradient, const Tensor& input) {
  Tensor result = at::zeros_like(input);
  const Tensor dense = gradient.contiguous(input.suggest_memory_format());
  return result;
}
Tensor avg_pool3d_backward(const Tensor& gradient, const Tensor& input, at::IntArrayRef,
                           at::IntArrayRef, at::IntArrayRef, bool, bool,
                           std::optional<std::int64_t>) {
  return volumes_backward(gradient, input);
}
Tensor max_pool3d_backward(const Tensor& gradient, const Tensor& input, at::IntArrayRef,
                           at::IntArrayRef, at::IntArrayRef, at::IntArrayRef, bool, const Tensor&) {
  return volumes_backward(gradient, input);
}

// Small images are resized with their channels side by side, in copies; larger ones by a table of
// places and weights for each output row and column and each pixel that it takes.
// (ATen/native/cpu/UpSampleKernel.cpp of PyTorch 2.11, _use_vectorized_kernel_cond_2d.)
void resizing_on_cpu(const Tensor& input, const Tensor& output, int taps, bool may_copy) {
  if (!DryRecording::follows_cpu()) return;
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

// `kTaps`: the pixels along a dimension that one of the result takes. `kMayCopy`: small images are.
template <auto kMeta, int kTaps, bool kMayCopy, class... Options>
Tensor resized(const Tensor& input, at::IntArrayRef size, Options... options) {
  Tensor output = kMeta(input, size, options...);
  resizing_on_cpu(input, output, kTaps, kMayCopy);
  return output;
}
// The backward of resizing wants its gradient dense, too.
template <auto kMeta, class... Options>
Tensor dense_backward(const Tensor& gradient, at::IntArrayRef size, at::IntArrayRef input_size,
                      Options... options) {
  Tensor result = kMeta(gradient, size, input_size, options...);
  take_dense(gradient, gradient, Tensor(), result);
  return result;
}

template <auto kMeta, auto kBackward, int kTaps, bool kMayCopy, class... Options>
void register_resizing(torch::Library& library, const std::string& name) {
  library.impl(name.c_str(), resized<kMeta, kTaps, kMayCopy, Options...>);
  library.impl((name + "_backward").c_str(), dense_backward<kBackward, Options...>);
}

// Channels become places, or the reverse: one kernel on cpu, a permuted copy elsewhere.
// (ATen/native/PixelShuffle.cpp.)
Tensor shuffled_on_cpu(const Tensor& self, at::IntArrayRef sizes) {
  const auto format = self.suggest_memory_format();
  Tensor result = at::empty(sizes, self.options().memory_format(format));
  const Tensor dense = self.contiguous(format);
  return result;
}
Tensor pixel_shuffle(const Tensor& self, std::int64_t factor) {
  if (!DryRecording::follows_cpu() || self.dim() < 3)
    return at::native::math_pixel_shuffle(self, factor);
  std::vector<std::int64_t> sizes = self.sizes().vec();
  std::int64_t* const last = sizes.data() + sizes.size();
  last[-3] /= factor * factor;
  last[-2] *= factor;
  last[-1] *= factor;
  return shuffled_on_cpu(self, sizes);
}
Tensor pixel_unshuffle(const Tensor& self, std::int64_t factor) {
  if (!DryRecording::follows_cpu() || self.dim() < 3)
    return at::native::math_pixel_unshuffle(self, factor);
  std::vector<std::int64_t> sizes = self.sizes().vec();
  std::int64_t* const last = sizes.data() + sizes.size();
  last[-3] *= factor * factor;
  last[-2] /= factor;
  last[-1] /= factor;
  return shuffled_on_cpu(self, sizes);
}

// (ATen/native/GridSampler.cpp, cuda/GridSampler.cpp.)
Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, std::int64_t, std::int64_t, bool) {
  return at::empty({input.size(0), input.size(1), grid.size(1), grid.size(2)}, input.options());
}
std::tuple<Tensor, Tensor> grid_sampler_2d_backward(const Tensor& gradient, const Tensor& input,
                                                    const Tensor& grid, std::int64_t, std::int64_t,
                                                    bool, std::array<bool, 2> wanted) {
  Tensor to_input;
  if (wanted[0]) to_input = at::zeros_like(input, at::MemoryFormat::Contiguous);
  Tensor to_grid = at::empty_like(grid, at::MemoryFormat::Contiguous);
  const Tensor dense = DryRecording::follows_cpu() ? gradient.contiguous() : Tensor();
  return {std::move(to_input), std::move(to_grid)};
}

}  // namespace

void register_meta_images(torch::Library& library) {
  library.impl("_adaptive_avg_pool2d", adaptive_avg_pool2d);
  library.impl("_adaptive_avg_pool2d_backward", adaptive_avg_pool2d_backward);
  library.impl("adaptive_max_pool2d_backward", adaptive_max_pool2d_backward);
  library.impl("avg_pool2d_backward", avg_pool2d_backward);
  library.impl("max_pool2d_with_indices_backward", max_pool2d_backward);
  library.impl("_adaptive_avg_pool3d_backward", volumes_backward);
  library.impl("avg_pool3d_backward", avg_pool3d_backward);
  library.impl("max_pool3d_with_indices_backward", max_pool3d_backward);
  using Scale = std::optional<double>;
  register_resizing<at::meta::upsample_nearest1d, at::meta::upsample_nearest1d_backward, 1, false,
                    Scale>(library, "upsample_nearest1d");
  register_resizing<at::meta::upsample_nearest2d, at::meta::upsample_nearest2d_backward, 1, true,
                    Scale, Scale>(library, "upsample_nearest2d");
  register_resizing<at::meta::upsample_nearest3d, at::meta::upsample_nearest3d_backward, 1, false,
                    Scale, Scale, Scale>(library, "upsample_nearest3d");
  register_resizing<at::meta::_upsample_nearest_exact1d,
                    at::meta::_upsample_nearest_exact1d_backward, 1, false, Scale>(
      library, "_upsample_nearest_exact1d");
  register_resizing<at::meta::_upsample_nearest_exact2d,
                    at::meta::_upsample_nearest_exact2d_backward, 1, true, Scale, Scale>(
      library, "_upsample_nearest_exact2d");
  register_resizing<at::meta::_upsample_nearest_exact3d,
                    at::meta::_upsample_nearest_exact3d_backward, 1, false, Scale, Scale, Scale>(
      library, "_upsample_nearest_exact3d");
  register_resizing<at::meta::upsample_linear1d, at::meta::upsample_linear1d_backward, 2, false,
                    bool, Scale>(library, "upsample_linear1d");
  register_resizing<at::meta::upsample_bilinear2d, at::meta::upsample_bilinear2d_backward, 2, true,
                    bool, Scale, Scale>(library, "upsample_bilinear2d");
  register_resizing<at::meta::upsample_bicubic2d, at::meta::upsample_bicubic2d_backward, 4, false,
                    bool, Scale, Scale>(library, "upsample_bicubic2d");
  register_resizing<at::meta::upsample_trilinear3d, at::meta::upsample_trilinear3d_backward, 2,
                    false, bool, Scale, Scale, Scale>(library, "upsample_trilinear3d");
  library.impl("pixel_shuffle", pixel_shuffle);
  library.impl("pixel_unshuffle", pixel_unshuffle);
  library.impl("grid_sampler_2d", grid_sampler_2d);
  library.impl("grid_sampler_2d_backward", grid_sampler_2d_backward);
}

}  // namespace ts::kernels
