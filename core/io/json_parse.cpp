#include "core/io/json_parse.h"

#include <algorithm>
#include <utility>

#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::io {
namespace {

// An upper bound of the parser's depth: in valid JSON every bracket outside of strings is a level.
std::size_t deepest_level(std::string_view text) {
  std::size_t level = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++level);
    } else if ((c == ']' || c == '}') && level > 0) {
      --level;
    }
  }
  return deepest;
}

}  // namespace

base::Result<nlohmann::json> parse_json(std::string_view text) {
  if (deepest_level(text) > kMostJsonLevels) {
    return text::fail("file_error.deep_json", {{"levels", std::to_string(kMostJsonLevels)}});
  }
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return text::fail("file_error.bad_json");
  return json;
}

base::Result<nlohmann::json> read_json(const std::filesystem::path& path) {
  TS_TRY(const auto content, read_file(path));
  auto json = parse_json(content);
  if (!json) {
    return text::fail("file_error.is_no_json",
                      {{"path", path.string()}, text::argument("reason", std::move(json.error()))});
  }
  return json;
}

std::string json_text(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace ts::io
