#include "views/common/exact_bytes.h"

#include "core/text/numbers.h"

namespace ts::views {

std::string exact_bytes(const text::Texts& texts, std::int64_t bytes) {
  return texts("common.bytes", {{"bytes", text::grouped(bytes)}});
}

void exact_bytes_tip(const Ui& ui, std::int64_t bytes) {
  tooltip(ui, exact_bytes(ui.texts, bytes));
}

std::string size_and_bytes(const text::Texts& texts, std::int64_t bytes) {
  return text::bytes(bytes).joined() + texts("memory.list_comma") + exact_bytes(texts, bytes);
}

}  // namespace ts::views
