#include "app/output/data_page.h"

#include <nlohmann/json.hpp>

#include "assets/assets.h"
#include "core/base/check.h"

namespace ts::app {
namespace {

std::string inside_html(std::string json) {
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;)
    json.replace(at, 1, "\\u003c");
  return json;
}

}  // namespace

std::string data_page(std::string_view page, const nlohmann::json& data) {
  std::string filled(page);
  const auto fill = [&filled](std::string_view place, std::string_view content) {
    const std::size_t at = filled.find(place);
    TS_CHECK(at != std::string::npos);
    filled.replace(at, place.size(), content);
  };
  fill("TENSORSCOPE_STYLE", assets::page_style());
  fill("TENSORSCOPE_NOTES", assets::page_notes());
  fill("TENSORSCOPE_DATA",
       inside_html(data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  return filled;
}

}  // namespace ts::app
