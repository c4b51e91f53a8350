#include "views/common/exact_bytes.h"

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

text::Quantity bytes_in_column(std::int64_t bytes, char unit_letter) {
  text::Quantity size = text::bytes_in(bytes, unit_letter);
  const bool lost = bytes != 0 && size.value.find_first_of("123456789") == std::string::npos;
  return lost ? text::bytes(bytes) : size;
}

}  // namespace ts::views
