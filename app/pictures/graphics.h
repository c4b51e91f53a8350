#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

struct GLFWwindow;

namespace ts::app {

// One GLFW window with its OpenGL 3.3 context, made current. On a display, or off screen: GLFW's
// null platform with Mesa's software renderer, which needs neither display nor driver. Main thread
// only; one at a time in a process.
class Graphics {
 public:
  enum class Kind : std::uint8_t { window, off_screen };
  static base::Result<std::unique_ptr<Graphics>> open(Kind kind, int width, int height);
  ~Graphics();
  Graphics(const Graphics&) = delete;
  Graphics& operator=(const Graphics&) = delete;

  [[nodiscard]] GLFWwindow* window() const { return window_; }
  [[nodiscard]] Kind kind() const { return kind_; }
  // Connects the current Dear ImGui context to this window and context; false when the renderer
  // cannot start.
  bool attach_imgui(bool with_input);
  // The renderer in one line: "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5".
  [[nodiscard]] std::string renderer() const;

 private:
  Graphics(Kind kind, GLFWwindow* window) : kind_(kind), window_(window) {}
  Kind kind_;
  GLFWwindow* window_;
};

// A picture in memory to draw into, of any size, independent of the window. Create and use it with
// the context current.
class Canvas {
 public:
  static base::Result<std::unique_ptr<Canvas>> make(int width, int height);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void bind() const;
  static void unbind();
  // Pixels as 8-bit RGB, rows from the top.
  [[nodiscard]] std::vector<std::uint8_t> read_rgb() const;

 private:
  Canvas(int width, int height) : width_(width), height_(height) {}
  int width_;
  int height_;
  unsigned framebuffer_ = 0;
  unsigned color_ = 0;
};

// Fills the bound target.
void clear_target(std::uint32_t color, int width, int height);

}  // namespace ts::app
