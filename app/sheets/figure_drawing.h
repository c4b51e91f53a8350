#pragma once

#include <string>

#include "app/pages/requests.h"
#include "views/common/theme.h"

namespace ts::app {

// A figure of a sheet as a picture of its own: so many pixels high, as wide as all of them, with an
// edge around it. `draw` is called with the area inside of the edge.
Requests::Drawing figure_drawing(std::string name, float height, views::Metrics metrics,
                                 decltype(Requests::Drawing::draw) draw);

}  // namespace ts::app
