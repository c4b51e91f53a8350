#include "kernels/compiled/scripts.h"

#include <cstddef>

extern "C" const char tensorscope_asset_make_package[];
extern "C" const char tensorscope_asset_make_package_end[];
extern "C" const char tensorscope_asset_models[];
extern "C" const char tensorscope_asset_models_end[];

namespace ts::kernels {

std::string_view maker_script() {
  return {tensorscope_asset_make_package,
          static_cast<std::size_t>(tensorscope_asset_make_package_end -
                                   tensorscope_asset_make_package)};
}

std::string_view models_script() {
  return {tensorscope_asset_models,
          static_cast<std::size_t>(tensorscope_asset_models_end - tensorscope_asset_models)};
}

}  // namespace ts::kernels
