#include "assets/asset_view.h"
#include "assets/assets.h"

TS_ASSET(icon_font)

namespace ts::assets {

std::string_view icon_font() {
  return view_icon_font();
}

}  // namespace ts::assets
