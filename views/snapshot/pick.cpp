#include "views/snapshot/pick.h"

#include <imgui.h>

#include <memory>
#include <utility>

#include "views/charts/category_menu.h"

namespace ts::views {

void add_pick(ViewState& state, std::uint64_t id, std::vector<memory::BlockIndex> blocks) {
  state.search.clear();
  std::erase_if(state.picks, [id](const auto& pick) { return pick->id == id; });
  state.picks.push_back(
      std::make_shared<const blocks::BlockPick>(blocks::BlockPick{id, std::move(blocks)}));
}

void draw_rows_menu(const Ui& ui, ViewContext& context, bool clicked, const std::string& name,
                    const std::function<std::vector<memory::BlockIndex>()>& blocks) {
  constexpr const char* kMenu = "###rows_menu";
  if (clicked) ImGui::OpenPopup(kMenu);
  if (!ImGui::IsPopupOpen(kMenu)) return;
  const MenuRow row = category_menu(context, "###blocks_are", ui.texts("menu.blocks_are"), blocks);
  context_menu(ui, kMenu, name, {&row, 1});
}

}  // namespace ts::views
