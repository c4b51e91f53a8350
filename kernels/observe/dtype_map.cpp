#include "kernels/observe/dtype_map.h"

#include <algorithm>

#include "core/base/check.h"

namespace ts::kernels {
namespace {

thread_local DtypeMap* collecting = nullptr;

const char* type_name(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return "fp32";
    case at::kHalf:
      return "fp16";
    case at::kBFloat16:
      return "bf16";
    case at::kDouble:
      return "fp64";
    default:
      return at::toString(type);
  }
}

bool of_later_block(const std::string& name) {
  constexpr std::string_view kBlocks = "blocks.";
  constexpr std::string_view kFirst = "blocks.0.";
  return name.starts_with(kBlocks) && !name.starts_with(kFirst);
}

}  // namespace

DtypeMap::DtypeMap() {
  TS_CHECK(collecting == nullptr);
  collecting = this;
}

DtypeMap::~DtypeMap() {
  collecting = nullptr;
}

void DtypeMap::add(const std::string& name, at::ScalarType type) {
  if (of_later_block(name)) return;
  const auto known = std::any_of(found_.begin(), found_.end(),
                                 [&](const run::NamedType& entry) { return entry.name == name; });
  if (!known) found_.push_back({name, type_name(type)});
}

void note_dtype(const std::string& path, const at::Tensor& output) {
  if (collecting == nullptr || !output.defined()) return;
  collecting->add(path, output.scalar_type());
}

}  // namespace ts::kernels
