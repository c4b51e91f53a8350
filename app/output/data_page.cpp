#include "app/output/data_page.h"

#include <nlohmann/json.hpp>

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
  constexpr std::string_view kPlace = "TENSORSCOPE_DATA";
  std::string filled(page);
  const std::size_t place = filled.find(kPlace);
  TS_CHECK(place != std::string::npos);
  filled.replace(place, kPlace.size(),
                 inside_html(data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  return filled;
}

}  // namespace ts::app
