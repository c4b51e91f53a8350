#include "views/snapshot/other_choice.h"

#include <algorithm>
#include <cstddef>

#include "views/common/widgets.h"

namespace ts::views {

const OtherRecording* OtherChoice::find(const ViewContext& context,
                                        const std::function<bool(const OtherRecording&)>& fits) {
  const auto& others = context.others;
  if (!wanted_.empty()) {
    const auto found = std::ranges::find(others, wanted_, &OtherRecording::path);
    if (found != others.end() && !can_compare(*found)) return &*found;
    if (found != others.end()) id_ = id_of_(*found);
    wanted_.clear();  // it is the shown file, or it was closed
  }
  auto found = std::ranges::find_if(
      others, [this](const OtherRecording& one) { return can_compare(one) && id_of_(one) == id_; });
  if (found == others.end()) {
    found = std::ranges::find_if(
        others, [&](const OtherRecording& one) { return can_compare(one) && fits(one); });
  }
  if (found == others.end()) {
    found = std::ranges::find_if(others,
                                 [this](const OtherRecording& one) { return can_compare(one); });
  }
  if (found == others.end()) return nullptr;
  id_ = id_of_(*found);
  return &*found;
}

void OtherChoice::draw(const Ui& ui, const ViewContext& context, const OtherRecording* other,
                       const std::string& id, float width) {
  select(ui, id.c_str(), "", other == nullptr ? "" : other->name, width, [&] {
    for (std::size_t i = 0; i < context.others.size(); ++i) {
      const OtherRecording& one = context.others[i];
      const std::string row = id + "_" + std::to_string(i);
      if (!list_row(ui, row.c_str(), one.name, "", &one == other, one.reason)) continue;
      if (!can_compare(one)) continue;
      id_ = id_of_(one);
      wanted_.clear();
      return true;
    }
    return false;
  });
}

}  // namespace ts::views
