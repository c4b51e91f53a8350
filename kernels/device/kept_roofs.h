#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "core/run/engine.h"

namespace ts::kernels {

// The roof of `of`, which says all that it depends on, its type apart. Where the environment
// variable TENSORSCOPE_ROOFS names a folder, one that was measured before is read from there, and a
// new one is written: many processes in a row measure it once. Without the variable it is measured.
run::Roof kept_roof(nlohmann::json of, spec::DataType type,
                    const std::function<run::Roof()>& measure);

}  // namespace ts::kernels
