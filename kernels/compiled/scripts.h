#pragma once

#include <string_view>

// The two Python files beside this header, embedded in the library.
namespace ts::kernels {

std::string_view maker_script();   // make_package.py
std::string_view models_script();  // models.py, which it imports

}  // namespace ts::kernels
