#include "kernels/observe/owner.h"

#include "kernels/observe/dry_recording.h"
#include "kernels/observe/recording.h"

namespace ts::kernels {

void own_block(const at::Tensor& tensor, memory::Category category, std::string_view name) {
  if (!tensor.defined() || tensor.nbytes() == 0) return;
  if (DryRecording* const dry = DryRecording::current(); dry != nullptr) {
    dry->owner(block_number(tensor.storage().data_ptr()), category, name);
    return;
  }
  Recording* const recording = Recording::active();
  if (recording == nullptr) return;
  recording->owner(tensor.storage().data(), category,
                   name.empty() ? base::kNoString : recording->strings().intern(name));
}

}  // namespace ts::kernels
