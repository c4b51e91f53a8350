#include "kernels/dry_run/meta_allocator.h"

#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

void free_block(void* context) {
  DryRecording* const dry = DryRecording::current();
  if (dry != nullptr && context != nullptr) {
    dry->free(reinterpret_cast<std::uintptr_t>(context));
  }
}

}  // namespace

void MetaAllocator::install() {
  // Never destroyed: tensors may outlive every static of ours.
  static MetaAllocator* const allocator = [] {
    auto* const made = new MetaAllocator;
    c10::SetAllocator(c10::kMeta, made);
    return made;
  }();
  static_cast<void>(allocator);
}

c10::DataPtr MetaAllocator::allocate(std::size_t size) {
  const c10::Device device(c10::kMeta);
  DryRecording* const dry = DryRecording::current();
  if (size == 0 || dry == nullptr) return {nullptr, nullptr, &free_block, device};
  const std::uint64_t address = dry->alloc(static_cast<std::int64_t>(size));
  return {nullptr, reinterpret_cast<void*>(address), &free_block, device};
}

c10::DeleterFnPtr MetaAllocator::raw_deleter() const {
  return &free_block;
}

}  // namespace ts::kernels
