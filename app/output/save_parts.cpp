#include "app/output/save_parts.h"

#include <algorithm>

#include "core/text/message.h"

namespace ts::app {

namespace {

constexpr std::string_view kNoParts = "none";

}  // namespace

const char* to_string(SavePart part) {
  constexpr std::array kNames = {"snapshot", "trace", "tables", "pictures", "report"};
  return kNames[static_cast<std::size_t>(part)];
}

base::Result<SaveParts> SaveParts::parse(std::string_view names, std::span<const SavePart> known) {
  SaveParts parts{std::span<const SavePart>()};
  if (names == kNoParts) return parts;
  const std::string all = SaveParts(known).names();
  while (true) {
    const std::size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    const auto part = std::ranges::find(
        known, name, [](SavePart one) { return std::string_view(to_string(one)); });
    if (part == known.end())
      return text::fail("save_error.part", {{"name", std::string(name)}, {"names", all}});
    parts.set(*part, true);
    if (comma == std::string_view::npos) return parts;
    names.remove_prefix(comma + 1);
  }
}

std::string SaveParts::names() const {
  std::string names;
  for (const SavePart part : kSaveParts) {
    if (has(part)) names += (names.empty() ? "" : ",") + std::string(to_string(part));
  }
  return names.empty() ? std::string(kNoParts) : names;
}

}  // namespace ts::app
