#include "core/trace/name_search.h"

#include <cstdint>

#include "core/base/letters.h"

namespace ts::trace {

std::vector<char> ids_containing(const base::StringTable& strings, std::string_view text) {
  if (text.empty()) return {};
  const std::uint32_t count = strings.size();
  std::vector<char> wanted(count, 0);
  bool any = false;
  for (base::StringId id = 0; id < count; ++id) {
    if (!base::contains_letters(strings.view(id), text)) continue;
    wanted[id] = 1;
    any = true;
  }
  if (!any) wanted.clear();
  return wanted;
}

}  // namespace ts::trace
