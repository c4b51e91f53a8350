#include "app/pages/page.h"

#include <utility>

namespace ts::app {
namespace {

constexpr std::array<std::pair<const char*, ShownPage>, 19> kNames = {
    {{"run", {Page::run}},
     {"sweep", {Page::sweep}},
     {"hunt", {Page::hunt}},
     {"ab", {Page::compare}},
     {"lessons", {Page::lessons}},
     {"projector", {Page::run, true}},
     {"timeline", {Page::timeline}},
     {"memory", {Page::memory}},
     {"segments", {Page::segments}},
     {"reserved", {Page::reserved}},
     {"blocks", {Page::blocks}},
     {"flame", {Page::flame}},
     {"difference", {Page::difference}},
     {"growth", {Page::growth}},
     {"operators", {Page::operators}},
     {"agreement", {Page::agreement}},
     {"controls", {Page::controls}},
     {"inspector", {Page::inspector}},
     {"kernels", {Page::kernels}}}};

}  // namespace

const char* page_name(Page page) {
  for (const auto& [name, shown] : kNames)
    if (shown.page == page) return name;
  return "";
}

base::Result<ShownPage> page_from_name(const std::string& name) {
  std::string all;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i].first) return kNames[i].second;
    all += i == 0 ? "" : i + 1 == kNames.size() ? " and " : ", ";
    all += kNames[i].first;
  }
  return base::fail("There is no workspace \"" + name + "\"; there are " + all);
}

}  // namespace ts::app
