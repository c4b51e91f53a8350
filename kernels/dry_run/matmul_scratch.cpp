#include "kernels/dry_run/matmul_scratch.h"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace ts::kernels {
namespace {

// Reserved addresses; they use no memory unless written to, which should never happen.
class Addresses {
 public:
  Addresses() = default;
  ~Addresses() {
    if (begin_ != nullptr) munmap(begin_, size_);
  }
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;

  // Null if the system has none left.
  void* of_size(std::size_t size) {
    if (size <= size_) return begin_;
    if (begin_ != nullptr) munmap(begin_, size_);
    begin_ = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin_ == MAP_FAILED) begin_ = nullptr;
    size_ = begin_ != nullptr ? size : 0;
    return begin_;
  }

 private:
  void* begin_ = nullptr;
  std::size_t size_ = 0;
};

std::size_t extent(const at::Tensor& tensor) {
  std::int64_t last = 0;
  for (std::int64_t i = 0; i < tensor.dim(); ++i) last += (tensor.size(i) - 1) * tensor.stride(i);
  return static_cast<std::size_t>(last + 1) * tensor.element_size();
}

// The blocks that the product requests, in order.
std::vector<AskedBlock> ask(const std::vector<at::Tensor>& operands, const BeginProduct& begin) {
  thread_local Addresses addresses;
  std::size_t size = 0;
  for (const at::Tensor& operand : operands) size = std::max(size, extent(operand));
  void* const memory = addresses.of_size(size);
  if (memory == nullptr) return {};
  std::vector<at::Tensor> stand_ins;
  stand_ins.reserve(operands.size());
  for (const at::Tensor& operand : operands) {
    stand_ins.push_back(at::from_blob(memory, operand.sizes(), operand.strides(),
                                      operand.options().device(at::kCPU)));
  }
  DryRecording::ScratchQuestion question(*DryRecording::current());
  try {
    begin(stand_ins);
  } catch (const ScratchAsked&) {
    // The requested blocks are known now.
  }
  return question.take();
}

// A product that is fast on every machine. It uses memory of the system: these blocks must not be
// recorded.
bool small_product_asks(at::ScalarType type) {
  const std::vector<std::int64_t> sizes = {64, 64};
  std::vector<std::uint16_t> zeros(64 * 64);
  const at::Tensor square =
      at::from_blob(zeros.data(), sizes, at::TensorOptions().device(at::kCPU).dtype(type));
  return !ask({square, square, square}, [](const std::vector<at::Tensor>& of) {
            at::Tensor out = of[2];
            at::mm_out(out, of[0], of[1]);
          }).empty();
}

}  // namespace

bool takes_matmul_scratch(at::ScalarType type) {
  static const bool bf16 = small_product_asks(at::kBFloat16);
  static const bool fp16 = small_product_asks(at::kHalf);
  return type == at::kBFloat16 ? bf16 : type == at::kHalf && fp16;
}

std::vector<AskedBlock> matmul_scratch(const char* name, const std::vector<at::Tensor>& operands,
                                       const BeginProduct& begin) {
  if (!takes_matmul_scratch(operands.front().scalar_type())) return {};
  using Key = std::vector<std::int64_t>;
  static std::mutex mutex;
  static std::map<std::pair<std::string, Key>, std::vector<AskedBlock>> answers;
  Key key = {at::get_num_threads()};
  for (const at::Tensor& operand : operands) {
    key.push_back(static_cast<std::int64_t>(operand.scalar_type()));
    key.insert(key.end(), operand.sizes().begin(), operand.sizes().end());
    key.insert(key.end(), operand.strides().begin(), operand.strides().end());
  }
  const auto place = std::pair(std::string(name), std::move(key));
  const std::lock_guard lock(mutex);
  if (const auto found = answers.find(place); found != answers.end()) return found->second;
  return answers.emplace(place, ask(operands, begin)).first->second;
}

}  // namespace ts::kernels
