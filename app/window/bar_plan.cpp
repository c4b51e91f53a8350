#include "app/window/bar_plan.h"

#include <array>

namespace ts::app {
namespace {

// Widths of the target field at scale 1: the card with its size, its name, most of its name.
constexpr float kRoomy = 200;
constexpr float kNamed = 132;
constexpr float kLeast = 100;

float width_of(const BarParts& parts, const BarPlan& plan) {
  float width = parts.logo + parts.pages + parts.run + parts.live;
  width += plan.name ? parts.name : 0;
  width += plan.menus ? parts.menus : parts.one_menu;
  width += plan.labels ? parts.labelled : parts.icons;
  width += plan.device ? parts.device : 0;
  return width + (plan.target > 0 ? plan.target + parts.gap : 0);
}

}  // namespace

BarPlan plan_bar(const BarParts& parts, float width) {
  constexpr std::array<BarPlan, 8> kPlans = {{
      {.target = kRoomy},
      {.device = false, .target = kRoomy},
      {.device = false, .target = kNamed},
      {.device = false, .target = kLeast},
      {.device = false, .labels = false, .target = kNamed},
      {.device = false, .labels = false, .name = false, .target = kNamed},
      {.device = false, .labels = false, .name = false, .menus = false, .target = kNamed},
      {.device = false, .labels = false, .name = false, .menus = false, .target = kLeast},
  }};
  BarPlan plan;
  for (const BarPlan& one : kPlans) {
    plan = one;
    plan.target = parts.target ? one.target * parts.unit : 0;
    plan.menus = one.menus && !parts.one_menu_only;
    if (width_of(parts, plan) <= width) break;
  }
  return plan;
}

}  // namespace ts::app
