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

text::Texts built_in_texts() {
  return {parsed(assets::locale_en()), parsed(assets::locale_zh_cn()),
          parsed(assets::locale_zh_tw())};
}

}  // namespace ts::app
