#pragma once

#include "assets/assets.h"
#include "core/base/check.h"
#include "core/text/text.h"

namespace ts::views::testing {

// The program's own strings.
inline text::Texts program_texts() {
  auto english = text::Catalogue::parse(assets::locale_en());
  auto simplified = text::Catalogue::parse(assets::locale_zh_cn());
  auto traditional = text::Catalogue::parse(assets::locale_zh_tw());
  TS_CHECK(english && simplified && traditional);
  return text::Texts(*english, *simplified, *traditional);
}

}  // namespace ts::views::testing
