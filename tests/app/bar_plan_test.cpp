// The parts of the top bar that each width shows.
#include "app/window/bar_plan.h"

#include <gtest/gtest.h>

#include "app/window/projector_scale.h"

namespace ts::app {
namespace {

// As wide as in English at scale 1.
BarParts parts(bool target) {
  BarParts made;
  made.logo = 46;
  made.name = 109;
  made.menus = 192;
  made.one_menu = 34;
  made.pages = 250;
  made.run = 126;
  made.live = 80;
  made.labelled = 220;
  made.icons = 104;
  made.device = 150;
  made.target = target;
  made.gap = 16;
  return made;
}

TEST(BarPlan, a_wide_bar_has_everything) {
  const BarPlan plan = plan_bar(parts(true), 1920);
  EXPECT_TRUE(plan.device && plan.labels && plan.name && plan.menus);
  EXPECT_EQ(plan.target, 200);
}

TEST(BarPlan, the_least_window_keeps_the_target_and_every_button) {
  const BarParts all = parts(true);
  const BarPlan plan = plan_bar(all, 960);
  EXPECT_GT(plan.target, 0);
  EXPECT_FALSE(plan.labels);
  const float menus = plan.menus ? all.menus : all.one_menu;
  const float width = all.logo + (plan.name ? all.name : 0) + menus + all.pages + all.run +
                      all.live + all.icons + plan.target + all.gap;
  EXPECT_LE(width, 960);
}

TEST(BarPlan, less_is_shown_the_narrower_it_is) {
  int before = 100;
  for (float width = 1600; width > 700; width -= 10) {
    const BarPlan plan = plan_bar(parts(true), width);
    const int shown = (plan.device ? 16 : 0) + (plan.labels ? 8 : 0) + (plan.name ? 4 : 0) +
                      (plan.menus ? 2 : 0) + (plan.target > 100 ? 1 : 0);
    EXPECT_GE(before, shown - 1) << width;
    before = shown;
  }
}

TEST(BarPlan, the_projector_has_one_menu_button_however_wide_it_is) {
  BarParts all = parts(false);
  all.one_menu_only = true;
  const BarPlan plan = plan_bar(all, 1920);
  EXPECT_FALSE(plan.menus);
  EXPECT_TRUE(plan.device && plan.labels && plan.name);
}

TEST(BarPlan, a_file_has_no_target) {
  EXPECT_EQ(plan_bar(parts(false), 1920).target, 0);
}

// The same share of a picture of any height; what was chosen larger stays larger.
TEST(ProjectorScale, grows_with_the_height) {
  EXPECT_FLOAT_EQ(projector_scale(1, 1080), 1.6F);
  EXPECT_FLOAT_EQ(projector_scale(2, 2160), 3.2F);
  EXPECT_FLOAT_EQ(projector_scale(2, 1080), 2);
  EXPECT_FLOAT_EQ(projector_scale(1, 600), 1);
}

}  // namespace
}  // namespace ts::app
