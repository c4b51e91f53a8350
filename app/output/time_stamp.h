#pragma once

#include <string>

namespace ts::app {

// Local time as it stands in names of files: "20260131-235959".
std::string time_stamp();

}  // namespace ts::app
