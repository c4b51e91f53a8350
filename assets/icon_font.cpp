#include <cstddef>

#include "assets/assets.h"

extern "C" const char tensorscope_asset_icon_font[];
extern "C" const char tensorscope_asset_icon_font_end[];

namespace ts::assets {

std::string_view icon_font() {
  return {tensorscope_asset_icon_font,
          static_cast<std::size_t>(tensorscope_asset_icon_font_end - tensorscope_asset_icon_font)};
}

}  // namespace ts::assets
