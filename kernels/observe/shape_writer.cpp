#include "kernels/observe/shape_writer.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ts::kernels {

using capture::Shapes;

namespace {

capture::DType dtype_code(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return capture::DType::fp64;
    case at::kFloat:
      return capture::DType::fp32;
    case at::kHalf:
      return capture::DType::fp16;
    case at::kBFloat16:
      return capture::DType::bf16;
    case at::kLong:
      return capture::DType::int64;
    case at::kInt:
      return capture::DType::int32;
    case at::kByte:
      return capture::DType::uint8;
    case at::kBool:
      return capture::DType::boolean;
    default:
      return capture::DType::other;
  }
}

// Their sizes are several, or are asked of Python, where the script's own code would run.
bool has_no_plain_sizes(const at::Tensor& tensor) {
  return tensor.is_nested() || tensor.unsafeGetTensorImpl()->is_python_dispatch();
}

}  // namespace

bool ShapeWriter::add(const at::Tensor& tensor) {
  if (!tensor.defined() || has_no_plain_sizes(tensor)) return true;
  const at::IntArrayRef sizes = tensor.sizes();
  if (shapes.tensors == Shapes::kMaxTensors || dims + sizes.size() > Shapes::kMaxDims) {
    return false;
  }
  shapes.rank[shapes.tensors] = static_cast<std::uint8_t>(sizes.size());
  shapes.dtype[shapes.tensors] = static_cast<std::uint8_t>(dtype_code(tensor.scalar_type()));
  ++shapes.tensors;
  for (const std::int64_t size : sizes) {
    shapes.dims[dims++] = static_cast<std::int32_t>(
        std::min<std::int64_t>(size, std::numeric_limits<std::int32_t>::max()));
  }
  return true;
}

}  // namespace ts::kernels
