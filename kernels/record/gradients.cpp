#include "kernels/record/gradients.h"

#include <ATen/core/Tensor.h>

#include "kernels/record/process_recorder.h"

namespace ts::kernels {
namespace {

// As ProcessRecorder::owner() takes it; null where nothing is recorded.
const void* recorded_address(const c10::TensorImpl& tensor, bool on_cuda) {
  if (on_cuda ? tensor.is_cuda() : tensor.is_cpu()) return tensor.unsafe_storage().data();
  if (!tensor.is_meta()) return nullptr;
  const auto storage =
      reinterpret_cast<std::uintptr_t>(tensor.unsafe_storage().unsafeGetStorageImpl());
  return reinterpret_cast<const void*>(storage + 1);
}

}  // namespace

Gradient record_gradient(ProcessRecorder& recorder, std::uint64_t parameter, base::StringId name,
                         bool on_cuda) {
  const auto* const owner = reinterpret_cast<const c10::TensorImpl*>(parameter);
  const at::Tensor& gradient = owner->grad();
  if (!gradient.defined()) return Gradient::none;
  const c10::TensorImpl& tensor = *gradient.unsafeGetTensorImpl();
  // A class written in Python may have no memory, or several blocks.
  if (tensor.is_python_dispatch()) return Gradient::seen;
  if (!tensor.has_storage()) return Gradient::asked;
  if (const void* const address = recorded_address(tensor, on_cuda); address != nullptr)
    recorder.owner(address, memory::Category::gradient, name);
  return Gradient::seen;
}

}  // namespace ts::kernels
