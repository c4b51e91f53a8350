#pragma once

#include <functional>
#include <string>
#include <vector>

#include "views/common/context_menu.h"
#include "views/common/view_state.h"

namespace ts::views {

// The row "words > parameters, gradients, ..." of a context menu: says what blocks hold. `blocks`
// is called when a category was chosen.
MenuRow category_menu(ViewContext& context, const char* id, std::string words,
                      const std::function<std::vector<memory::BlockIndex>()>& blocks);

}  // namespace ts::views
