#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ts::app {

// A page of HTML with the style of all pages in place of TENSORSCOPE_STYLE, what shows their notes
// in place of TENSORSCOPE_NOTES, and its data in place of TENSORSCOPE_DATA. No text of the data can
// end the element that it stands in; what is no UTF-8 is replaced.
std::string data_page(std::string_view page, const nlohmann::json& data);

}  // namespace ts::app
