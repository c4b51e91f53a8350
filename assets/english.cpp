#include "assets/asset_view.h"
#include "assets/assets.h"

// Apart from the other assets: the engine library carries these texts only.
TS_ASSET(en)

namespace ts::assets {

std::string_view locale_en() {
  return view_en();
}

}  // namespace ts::assets
