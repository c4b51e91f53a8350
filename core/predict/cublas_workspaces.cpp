#include "core/predict/cublas_workspaces.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace ts::predict {

namespace {

constexpr std::array<std::string_view, 5> kProducts = {"aten::mm", "aten::addmm", "aten::bmm",
                                                       "aten::baddbmm", "aten::dot"};

}  // namespace

CublasWorkspaces::CublasWorkspaces(const DryRun& run, const base::StringTable& strings,
                                   std::int32_t compute_capability) {
  constexpr std::int64_t kKibibyte = 1024;
  bytes_each_ = compute_capability / 10 == 9 ? 32 * kKibibyte * kKibibyte : 8320 * kKibibyte;
  enum class Product : std::uint8_t { unknown, yes, no };
  std::vector<Product> products;  // by name
  const auto events = run.log.events();
  for (memory::EventIndex i = 0; i < events.size(); ++i) {
    if (events[i].action != memory::Action::alloc) continue;
    const memory::Block& block = run.log.blocks()[events[i].block];
    if (block.phase == base::Phase::setup) continue;
    if (block.op >= products.size()) products.resize(block.op + 1, Product::unknown);
    Product& product = products[block.op];
    if (product == Product::unknown) {
      const bool found =
          std::find(kProducts.begin(), kProducts.end(), strings.view(block.op)) != kProducts.end();
      product = found ? Product::yes : Product::no;
    }
    if (product == Product::no) continue;
    memory::EventIndex& place = after_[block.phase == base::Phase::backward ? 1 : 0];
    if (place == memory::kNone) place = i;
    if (after_[0] != memory::kNone && after_[1] != memory::kNone) return;
  }
}

std::int64_t CublasWorkspaces::bytes() const {
  return bytes_each_ * (2 - std::count(after_.begin(), after_.end(), memory::kNone));
}

}  // namespace ts::predict
