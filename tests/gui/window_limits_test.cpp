// The window's properties for the desktop. X11's headers come last: their macros hide other names.
#include "tests/gui/driven_window.h"
// clang-format off
#define GLFW_EXPOSE_NATIVE_X11
#include <GLFW/glfw3.h>
#include <GLFW/glfw3native.h>
#include <X11/Xutil.h>
// clang-format on

namespace ts::app::testing {
namespace {

TEST_F(DrivenWindow, TheDesktopIsToldTheLeastSize) {
  XSizeHints hints{};
  long given = 0;
  ASSERT_NE(XGetWMNormalHints(glfwGetX11Display(), glfwGetX11Window(window().graphics().window()),
                              &hints, &given),
            0);
  ASSERT_NE(hints.flags & PMinSize, 0);
  EXPECT_EQ(hints.min_width, 960);
  EXPECT_EQ(hints.min_height, 600);
  EXPECT_EQ(hints.flags & PMaxSize, 0);
}

}  // namespace
}  // namespace ts::app::testing
