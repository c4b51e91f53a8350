#include "core/exported/program.h"

namespace ts::exported {

std::int64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::uint8:
    case ElementType::int8:
    case ElementType::boolean:
      return 1;
    case ElementType::int16:
    case ElementType::fp16:
    case ElementType::bf16:
      return 2;
    case ElementType::int32:
    case ElementType::fp32:
      return 4;
    case ElementType::int64:
    case ElementType::fp64:
      return 8;
    case ElementType::unknown:
      break;
  }
  return 0;
}

std::int64_t Program::size_of(const Size& size, const std::vector<std::int64_t>& values) const {
  if (size.expression == kNone) return size.number;
  return expressions[size.expression].value(values).value_or(-1);
}

}  // namespace ts::exported
