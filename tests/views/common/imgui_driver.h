#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <functional>
#include <map>
#include <string>

namespace ts::views::testing {

// A Dear ImGui context without window or renderer, with a mouse and keys that tests move, and the
// place of every item by its label, which Dear ImGui reports through its test hooks. One at a time.
class ImGuiDriver {
 public:
  ImGuiDriver();
  ~ImGuiDriver();
  ImGuiDriver(const ImGuiDriver&) = delete;
  ImGuiDriver& operator=(const ImGuiDriver&) = delete;

  void frame(const std::function<void()>& draw);

  // Where the item was in the last frame that drew it; a test failure when it never was.
  [[nodiscard]] ImRect rect(const std::string& label) const;
  [[nodiscard]] const std::map<std::string, ImRect>& rects() const { return rects_; }

  // Input of the next frame.
  static void move(ImVec2 place);
  static void press();
  static void release();
  static void type(const char* text);
  static void key(ImGuiKey key);  // down and up

  // Called by the hooks.
  void item(ImGuiID id, const ImRect& rect) { by_id_[id] = rect; }
  void label(ImGuiID id, const char* text) { rects_[text] = by_id_[id]; }

 private:
  ImGuiContext* context_;
  std::map<ImGuiID, ImRect> by_id_;
  std::map<std::string, ImRect> rects_;
};

}  // namespace ts::views::testing
