#include "kernels/dry_run/reduction_scratch.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

struct Dimension {
  std::int64_t size;
  std::int64_t stride;  // of the input, in numbers
  std::int64_t result_stride;
  bool reduced;
};

// As TensorIterator has them: reduced ones first, each kind from the smallest stride on, neighbours
// that lie as one joined.
std::vector<Dimension> dimensions_of(const Tensor& self, at::OptionalIntArrayRef dims) {
  const bool all = !dims || dims->empty();
  std::vector<Dimension> found;
  std::int64_t result_stride = 1;
  for (std::int64_t dim = self.dim() - 1; dim >= 0; --dim) {
    const bool reduced = all || std::ranges::any_of(*dims, [&](std::int64_t one) {
                           return c10::maybe_wrap_dim(one, self.dim()) == dim;
                         });
    const std::int64_t size = self.size(dim);
    if (size > 1) found.push_back({size, self.stride(dim), reduced ? 0 : result_stride, reduced});
    if (!reduced) result_stride *= size;
  }
  std::ranges::stable_sort(found, [](const Dimension& a, const Dimension& b) {
    return a.reduced != b.reduced ? a.reduced : a.stride < b.stride;
  });
  std::vector<Dimension> joined;
  for (const Dimension& one : found) {
    if (!joined.empty()) {
      Dimension& last = joined.back();
      if (last.reduced == one.reduced && last.size * last.stride == one.stride &&
          last.size * last.result_stride == one.result_stride) {
        last.size *= one.size;
        continue;
      }
    }
    joined.push_back(one);
  }
  return joined;
}

std::int64_t divided(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t power_of_two_below(std::int64_t number) {
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 1))));
}

struct Scratch {
  std::int64_t buffer = 0, counters = 0;  // bytes
};

struct Card {
  std::int64_t multiprocessors, threads;  // threads of a multiprocessor
};

Card card_of(const predict::DryRunOptions& options) {
  const std::int32_t capability = options.compute_capability;
  const bool small = capability / 10 == 12 || (capability > 80 && capability < 90);
  return {options.multiprocessors, capability == 75 ? 1024 : small ? 1536 : 2048};
}

// How many numbers a thread loads at once for outputs that lie beside each other.
std::int64_t outputs_at_once(const std::vector<Dimension>& dims, std::size_t first_kept,
                             std::int64_t offset) {
  std::int64_t vector = 4;
  const auto divide = [&](std::int64_t number) {
    while (number % vector != 0) vector /= 2;
  };
  divide(offset);
  divide(dims[first_kept].size);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i != first_kept) divide(dims[i].stride);
  }
  return vector;
}

std::optional<Scratch> scratch_of(const std::vector<Dimension>& dims, std::int64_t offset,
                                  std::int64_t accumulator, std::int64_t inputs_at_once,
                                  const Card& card) {
  constexpr std::int64_t kWarp = 32, kMostThreads = 512;
  constexpr std::int64_t kFewest = 16, kMost = 256;  // numbers of a thread
  std::int64_t inputs = 1, outputs = 1;
  std::size_t reduced = 0;
  for (const Dimension& dim : dims) {
    (dim.reduced ? inputs : outputs) *= dim.size;
    if (dim.reduced) ++reduced;
  }
  if (reduced == 0) return std::nullopt;
  const bool along = reduced == dims.size() || dims[0].stride < dims[reduced].stride;
  std::int64_t width = along ? inputs : outputs, height = along ? outputs : inputs;
  std::int64_t at_once = 1;
  if (dims[along ? 0 : reduced].stride == 1) {
    if (along && width >= 128 && reduced == 1) {
      width /= inputs_at_once;
    } else if (!along) {
      at_once = outputs_at_once(dims, reduced, offset);
      width /= at_once;
    }
  }
  const std::int64_t most = kMostThreads / at_once;
  const std::int64_t most_x = width < most ? power_of_two_below(width) : most;
  const std::int64_t most_y = height < most ? power_of_two_below(height) : most;
  const std::int64_t y = std::min(most_y, most / std::min(most_x, kWarp));
  const std::int64_t x = std::min(most_x, most / y);
  std::int64_t input_step = along ? x : 1, output_step = along ? 1 : x;
  const bool across = divided(inputs, input_step) >= std::min(y * 16, kMost);
  (across ? input_step : output_step) *= y;
  const std::int64_t grid = divided(outputs / at_once, output_step);
  const std::int64_t wanted = card.multiprocessors * (card.threads / (x * y));
  const std::int64_t each = divided(inputs, input_step);
  if (!across || each < kMost || grid > wanted) return std::nullopt;
  const std::int64_t parts =
      std::max(std::min(divided(wanted, grid), divided(each, kFewest)), divided(each, kMost));
  if (parts <= 1) return std::nullopt;
  return Scratch{accumulator * outputs * parts * (along ? 1 : x * at_once), std::int64_t{4} * grid};
}

std::int64_t extent(const std::vector<Dimension>& dims, std::int64_t element) {
  std::int64_t last = 0;
  for (const Dimension& dim : dims) last += (dim.size - 1) * dim.stride;
  return last * element + 1;
}

std::int64_t count(const std::vector<Dimension>& dims) {
  std::int64_t numbers = 1;
  for (const Dimension& dim : dims) numbers *= dim.size;
  return numbers;
}

bool fits_32_bits(const std::vector<Dimension>& dims, std::int64_t element) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return count(dims) <= kMost && extent(dims, element) <= kMost;
}

// Halves what 32 bits cannot count, as TensorIterator does.
void take(const std::vector<Dimension>& dims, std::int64_t offset, std::int64_t element,
          std::int64_t accumulator, std::int64_t inputs_at_once, const Card& card,
          const at::TensorOptions& bytes) {
  if (!fits_32_bits(dims, element)) {
    const auto longest = std::ranges::max_element(dims, {}, [](const Dimension& dim) {
      return (dim.size - 1) * std::max(dim.stride, dim.result_stride);
    });
    std::vector<Dimension> half = dims;
    Dimension& split = half[static_cast<std::size_t>(longest - dims.begin())];
    const std::int64_t whole = split.size;
    split.size = whole / 2;
    take(half, offset, element, accumulator, inputs_at_once, card, bytes);
    split.size = whole - whole / 2;
    take(half, offset + whole / 2 * split.stride, element, accumulator, inputs_at_once, card,
         bytes);
    return;
  }
  const auto scratch = scratch_of(dims, offset, accumulator, inputs_at_once, card);
  if (!scratch) return;
  const Tensor buffer = at::empty({scratch->buffer}, bytes);
  const Tensor counters = at::empty({scratch->counters}, bytes);
}

}  // namespace

void take_reduction_scratch(const Tensor& self, at::OptionalIntArrayRef dims,
                            std::int64_t accumulator, std::int64_t result,
                            std::int64_t inputs_at_once) {
  const DryRecording* const dry = DryRecording::current();
  if (dry == nullptr || !dry->for_cuda() || self.numel() == 0) return;
  const std::vector<Dimension> all = dimensions_of(self, dims);
  const auto bytes = self.options().dtype(at::kByte);
  const std::int64_t element = self.element_size();
  // Parts of a narrow result meet in the accumulator's type.
  Tensor wide;
  if (result < accumulator && !fits_32_bits(all, element)) {
    std::int64_t outputs = 1;
    for (const Dimension& dim : all) outputs *= dim.reduced ? 1 : dim.size;
    wide = at::empty({outputs * accumulator}, bytes);
  }
  take(all, self.storage_offset(), element, accumulator, inputs_at_once, card_of(dry->options()),
       bytes);
}

}  // namespace ts::kernels
