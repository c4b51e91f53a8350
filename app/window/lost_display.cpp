#include "app/window/lost_display.h"

#include <dlfcn.h>

#include <utility>

namespace ts::app {
namespace {

// Xlib's, as <X11/Xlib.h> has them; the program does not link it.
struct Display;
using IoErrorHandler = int (*)(Display*);
using SetIoErrorHandler = IoErrorHandler (*)(IoErrorHandler);

std::function<void()> end_of_program;
IoErrorHandler handler_before = nullptr;

// The function of the library that GLFW loaded; null if GLFW uses none.
SetIoErrorHandler setter() {
  void* const library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  auto* const found = reinterpret_cast<SetIoErrorHandler>(dlsym(library, "XSetIOErrorHandler"));
  dlclose(library);  // GLFW keeps it open
  return found;
}

int on_io_error(Display* /*display*/) {
  end_of_program();
  return 0;
}

}  // namespace

OnLostDisplay::OnLostDisplay(std::function<void()> end) {
  end_of_program = std::move(end);
  if (const SetIoErrorHandler set = setter(); set != nullptr) handler_before = set(on_io_error);
}

OnLostDisplay::~OnLostDisplay() {
  if (const SetIoErrorHandler set = setter(); set != nullptr) set(handler_before);
  end_of_program = nullptr;
}

}  // namespace ts::app
