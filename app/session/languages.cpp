#include "app/session/languages.h"

#include "assets/assets.h"
#include "core/base/check.h"

namespace ts::app {
namespace {

text::Catalogue parsed(std::string_view json) {
  auto catalogue = text::Catalogue::parse(json);
  TS_CHECK(catalogue.has_value());  // built in and tested
  return std::move(*catalogue);
}

}  // namespace

text::Texts built_in_texts(text::Language language) {
  text::Texts texts(parsed(assets::locale_en()), parsed(assets::locale_zh_cn()),
                    parsed(assets::locale_zh_tw()));
  texts.choose(language);
  return texts;
}

base::Result<text::Texts> built_in_texts(std::string_view code) {
  return text::language_from_code(code).map(
      [](text::Language language) { return built_in_texts(language); });
}

}  // namespace ts::app
