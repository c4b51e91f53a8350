#include "views/common/power_select.h"

#include <string>

#include "core/text/numbers.h"
#include "views/common/widgets.h"

namespace ts::views {

bool power_select(const Ui& ui, const char* id, std::int64_t& value, std::int64_t least,
                  std::int64_t most, float width) {
  return select(ui, id, text::grouped(value), "", width, [&] {
    for (std::int64_t one = least; one <= most; one *= 2) {
      const std::string row = std::string(id) + "_" + std::to_string(one);
      if (list_row(ui, row.c_str(), text::grouped(one), "", one == value)) {
        value = one;
        return true;
      }
    }
    return false;
  });
}

}  // namespace ts::views
