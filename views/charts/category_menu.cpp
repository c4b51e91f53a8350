#include "views/charts/category_menu.h"

#include <utility>

#include "views/charts/labels.h"

namespace ts::views {

MenuRow category_menu(ViewContext& context, const char* id, std::string words,
                      const std::function<std::vector<memory::BlockIndex>()>& blocks) {
  MenuRow row{.id = id, .words = std::move(words)};
  for (int i = 0; i < memory::kCategoryCount; ++i) {
    const auto category = static_cast<memory::Category>(i);
    row.more.push_back({.id = "###category_" + std::string(memory::category_name(category)),
                        .words = context.texts(category_key(category)),
                        .perform = [&state = context.state, category, blocks] {
                          state.corrected = CategoryRequest{category, blocks()};
                        }});
  }
  return row;
}

}  // namespace ts::views
