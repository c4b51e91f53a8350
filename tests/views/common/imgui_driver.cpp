#include "tests/views/common/imgui_driver.h"

#include <gtest/gtest.h>

namespace {

ts::views::testing::ImGuiDriver* driver = nullptr;

}  // namespace

// Dear ImGui asks for these when it is built with its test hooks.
void ImGuiTestEngineHook_ItemAdd(ImGuiContext*, ImGuiID id, const ImRect& rect,
                                 const ImGuiLastItemData*) {
  if (driver != nullptr) driver->item(id, rect);
}
void ImGuiTestEngineHook_ItemInfo(ImGuiContext*, ImGuiID id, const char* label,
                                  ImGuiItemStatusFlags) {
  if (driver != nullptr && label != nullptr) driver->label(id, label);
}
void ImGuiTestEngineHook_Log(ImGuiContext*, const char*, ...) {}
const char* ImGuiTestEngine_FindItemDebugLabel(ImGuiContext*, ImGuiID) {
  return nullptr;
}

namespace ts::views::testing {

ImGuiDriver::ImGuiDriver() : context_(ImGui::CreateContext()) {
  driver = this;
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.DisplaySize = {1280, 2400};  // a whole panel, all its sections open
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  context_->TestEngineHookItems = true;
}

ImGuiDriver::~ImGuiDriver() {
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    texture->SetTexID(ImTextureID_Invalid);
    texture->SetStatus(ImTextureStatus_Destroyed);
  }
  ImGui::DestroyContext(context_);
  driver = nullptr;
}

void ImGuiDriver::frame(const std::function<void()>& draw) {
  ImGui::GetIO().DeltaTime = 1.0F / 60;
  rects_.clear();
  ImGui::NewFrame();
  draw();
  ImGui::Render();
  // The part of a renderer that the atlas waits for.
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    if (texture->Status == ImTextureStatus_WantCreate ||
        texture->Status == ImTextureStatus_WantUpdates) {
      texture->SetTexID(1);
      texture->SetStatus(ImTextureStatus_OK);
    } else if (texture->Status == ImTextureStatus_WantDestroy) {
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    }
  }
}

ImRect ImGuiDriver::rect(const std::string& label) const {
  const auto found = rects_.find(label);
  if (found == rects_.end()) {
    ADD_FAILURE() << "there is no item " << label;
    return {};
  }
  return found->second;
}

void ImGuiDriver::move(ImVec2 place) {
  ImGui::GetIO().AddMousePosEvent(place.x, place.y);
}
void ImGuiDriver::press() {
  ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, true);
}
void ImGuiDriver::release() {
  ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, false);
}
void ImGuiDriver::type(const char* text) {
  ImGui::GetIO().AddInputCharactersUTF8(text);
}
void ImGuiDriver::key(ImGuiKey key) {
  ImGui::GetIO().AddKeyEvent(key, true);
  ImGui::GetIO().AddKeyEvent(key, false);
}

}  // namespace ts::views::testing
