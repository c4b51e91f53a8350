#include "app/pictures/graphics.h"

// clang-format off
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
// clang-format on
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>

#include "core/text/message.h"

// Dear ImGui's small OpenGL loader. With GLFW's lookup it takes functions from whatever context
// GLFW made. Without it would open libGL, which the software renderer does not use.
extern "C" int imgl3wInit2(void (*(*lookup)(const char*))());

namespace ts::app {
namespace {

// The few OpenGL names that this file needs; values from the OpenGL 3.3 core specification.
using GLenum = unsigned;
constexpr GLenum kFramebuffer = 0x8D40;
constexpr GLenum kRenderbuffer = 0x8D41;
constexpr GLenum kColorAttachment = 0x8CE0;
constexpr GLenum kFramebufferComplete = 0x8CD5;
constexpr GLenum kRgba8 = 0x8058;
constexpr GLenum kRgb = 0x1907;
constexpr GLenum kUnsignedByte = 0x1401;
constexpr GLenum kPackAlignment = 0x0D05;
constexpr GLenum kColorBufferBit = 0x4000;
constexpr GLenum kRenderer = 0x1F01;
constexpr GLenum kGlVersion = 0x1F02;

template <class Function>
Function gl(const char* name) {
  return reinterpret_cast<Function>(glfwGetProcAddress(name));
}

std::string last_glfw_error() {
  const char* description = nullptr;
  glfwGetError(&description);
  return description != nullptr ? description : "unknown reason";
}

// The smallest window that the layout is made for.
constexpr int kLeastWidth = 960;
constexpr int kLeastHeight = 600;

}  // namespace

base::Result<std::unique_ptr<Graphics>> Graphics::open(Kind kind, int width, int height) {
  const bool off_screen = kind == Kind::off_screen;
  glfwInitHint(GLFW_PLATFORM, off_screen ? GLFW_PLATFORM_NULL : GLFW_PLATFORM_X11);
  if (glfwInit() != GLFW_TRUE) {
    return base::fail(off_screen ? "GLFW does not start: " + last_glfw_error()
                                 : "No window can be opened: " + last_glfw_error());
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  if (off_screen) glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_OSMESA_CONTEXT_API);
  // A window is not larger than the screen that it opens on.
  if (GLFWmonitor* const monitor = off_screen ? nullptr : glfwGetPrimaryMonitor()) {
    int left = 0, top = 0, most_width = 0, most_height = 0;
    glfwGetMonitorWorkarea(monitor, &left, &top, &most_width, &most_height);
    if (most_width > 0 && most_height > 0) {
      width = std::min(width, most_width);
      height = std::min(height, most_height);
    }
  }
  GLFWwindow* window = glfwCreateWindow(width, height, "Tensorscope", nullptr, nullptr);
  if (window == nullptr) {
    std::string reason = last_glfw_error();
    glfwTerminate();
    return base::fail(off_screen
                          ? "Pictures cannot be rendered: " + reason + " (install libosmesa6)"
                          : "No window with OpenGL 3.3 can be opened: " + reason);
  }
  if (!off_screen)
    glfwSetWindowSizeLimits(window, kLeastWidth, kLeastHeight, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(window);
  return std::unique_ptr<Graphics>(new Graphics(kind, window));
}

Graphics::~Graphics() {
  glfwDestroyWindow(window_);
  glfwTerminate();
}

bool Graphics::attach_imgui(bool with_input) {
  if (imgl3wInit2(reinterpret_cast<void (*(*)(const char*))()>(glfwGetProcAddress)) != 0) {
    return false;
  }
  if (with_input && !ImGui_ImplGlfw_InitForOpenGL(window_, true)) return false;
  return ImGui_ImplOpenGL3_Init("#version 330");
}

std::string Graphics::renderer() const {
  const auto get = gl<const unsigned char* (*)(GLenum)>("glGetString");
  if (get == nullptr) return "unknown";
  const auto* renderer = reinterpret_cast<const char*>(get(kRenderer));
  const auto* version = reinterpret_cast<const char*>(get(kGlVersion));
  return std::string(renderer != nullptr ? renderer : "unknown") + ", OpenGL " +
         (version != nullptr ? version : "?");
}

base::Result<std::unique_ptr<Canvas>> Canvas::make(int width, int height) {
  std::unique_ptr<Canvas> canvas(new Canvas(width, height));
  gl<void (*)(int, unsigned*)>("glGenFramebuffers")(1, &canvas->framebuffer_);
  gl<void (*)(int, unsigned*)>("glGenRenderbuffers")(1, &canvas->color_);
  gl<void (*)(GLenum, unsigned)>("glBindRenderbuffer")(kRenderbuffer, canvas->color_);
  gl<void (*)(GLenum, GLenum, int, int)>("glRenderbufferStorage")(kRenderbuffer, kRgba8, width,
                                                                  height);
  canvas->bind();
  gl<void (*)(GLenum, GLenum, GLenum, unsigned)>("glFramebufferRenderbuffer")(
      kFramebuffer, kColorAttachment, kRenderbuffer, canvas->color_);
  const GLenum status = gl<GLenum (*)(GLenum)>("glCheckFramebufferStatus")(kFramebuffer);
  unbind();
  if (status != kFramebufferComplete) {
    return text::fail("picture_error.large",
                      {{"width", std::to_string(width)}, {"height", std::to_string(height)}});
  }
  return canvas;
}

Canvas::~Canvas() {
  gl<void (*)(int, const unsigned*)>("glDeleteFramebuffers")(1, &framebuffer_);
  gl<void (*)(int, const unsigned*)>("glDeleteRenderbuffers")(1, &color_);
}

void Canvas::bind() const {
  gl<void (*)(GLenum, unsigned)>("glBindFramebuffer")(kFramebuffer, framebuffer_);
}

void Canvas::unbind() {
  gl<void (*)(GLenum, unsigned)>("glBindFramebuffer")(kFramebuffer, 0);
}

std::vector<std::uint8_t> Canvas::read_rgb() const {
  bind();
  const auto row = static_cast<std::size_t>(width_) * 3;
  std::vector<std::uint8_t> from_bottom(row * static_cast<std::size_t>(height_));
  gl<void (*)(GLenum, int)>("glPixelStorei")(kPackAlignment, 1);
  gl<void (*)(int, int, int, int, GLenum, GLenum, void*)>("glReadPixels")(
      0, 0, width_, height_, kRgb, kUnsignedByte, from_bottom.data());
  unbind();
  std::vector<std::uint8_t> picture(from_bottom.size());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y) {
    const auto source = from_bottom.end() - static_cast<std::ptrdiff_t>((y + 1) * row);
    std::copy_n(source, row, picture.begin() + static_cast<std::ptrdiff_t>(y * row));
  }
  return picture;
}

void clear_target(std::uint32_t color, int width, int height) {
  const auto part = [color](int shift) {
    return static_cast<float>((color >> shift) & 0xFFU) / 255.0F;
  };
  gl<void (*)(int, int, int, int)>("glViewport")(0, 0, width, height);
  gl<void (*)(float, float, float, float)>("glClearColor")(part(0), part(8), part(16), 1);
  gl<void (*)(GLenum)>("glClear")(kColorBufferBit);
}

}  // namespace ts::app
