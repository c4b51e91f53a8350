#include "core/predict/cublas_workspaces.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace ts::predict {

namespace {

enum class Product : std::uint8_t { unknown, none, plain, with_bias };

Product product_of(std::string_view op) {
  constexpr std::array<std::string_view, 4> kPlain = {"aten::mm", "aten::bmm", "aten::baddbmm",
                                                      "aten::dot"};
  if (op == "aten::addmm") return Product::with_bias;
  return std::ranges::find(kPlain, op) != kPlain.end() ? Product::plain : Product::none;
}

}  // namespace

CublasWorkspaces::CublasWorkspaces(const DryRun& run, const base::StringTable& strings,
                                   std::int32_t compute_capability) {
  constexpr std::int64_t kKibibyte = 1024;
  const std::int64_t bytes =
      compute_capability / 10 == 9 ? 32 * kKibibyte * kKibibyte : 8320 * kKibibyte;
  std::vector<Product> products;  // by name
  const auto events = run.log.events();
  for (memory::EventIndex i = 0; i < events.size(); ++i) {
    if (events[i].action != memory::Action::alloc) continue;
    const memory::Block& block = run.log.blocks()[events[i].block];
    if (block.phase == base::Phase::setup) continue;
    if (block.op >= products.size()) products.resize(block.op + 1, Product::unknown);
    Product& product = products[block.op];
    if (product == Product::unknown) product = product_of(strings.view(block.op));
    if (product == Product::none) continue;
    Taken* const of_thread = &taken_[block.phase == base::Phase::backward ? 2 : 0];
    if (of_thread[0].bytes == 0) of_thread[0] = {i, bytes};
    if (product == Product::with_bias && of_thread[1].bytes == 0)
      of_thread[1] = {i, kKibibyte * kKibibyte};
    if (std::ranges::all_of(taken_, [](const Taken& one) { return one.bytes > 0; })) return;
  }
}

std::int64_t CublasWorkspaces::bytes() const {
  std::int64_t sum = 0;
  for (const Taken& one : taken_) sum += one.bytes;
  return sum;
}

}  // namespace ts::predict
