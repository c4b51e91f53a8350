#include "core/trace/name_search.h"

#include <algorithm>
#include <cstdint>

namespace ts::trace {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::vector<char> ids_containing(const base::StringTable& strings, std::string_view text) {
  if (text.empty()) return {};
  const std::uint32_t count = strings.size();
  std::vector<char> wanted(count, 0);
  bool any = false;
  for (base::StringId id = 0; id < count; ++id) {
    const std::string_view name = strings.view(id);
    const auto found = std::search(name.begin(), name.end(), text.begin(), text.end(),
                                   [](char a, char b) { return lower(a) == lower(b); });
    if (found == name.end()) continue;
    wanted[id] = 1;
    any = true;
  }
  if (!any) wanted.clear();
  return wanted;
}

}  // namespace ts::trace
