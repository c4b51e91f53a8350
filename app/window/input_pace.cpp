#include "app/window/input_pace.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <optional>

namespace ts::app {
namespace {

// The most frames for a click, the list or field it opens, and the focus of that.
constexpr int kMostUnsettled = 6;

ImVector<ImGuiInputEvent>& queue() {
  return ImGui::GetCurrentContext()->InputEventsQueue;
}

bool is_modifier(ImGuiKey key) {
  switch (key) {
    case ImGuiMod_Ctrl:
    case ImGuiMod_Shift:
    case ImGuiMod_Alt:
    case ImGuiMod_Super:
    case ImGuiKey_LeftCtrl:
    case ImGuiKey_RightCtrl:
    case ImGuiKey_LeftShift:
    case ImGuiKey_RightShift:
    case ImGuiKey_LeftAlt:
    case ImGuiKey_RightAlt:
    case ImGuiKey_LeftSuper:
    case ImGuiKey_RightSuper:
      return true;
    default:
      return false;
  }
}

bool changes(const ImGuiInputEvent& event) {
  return ImGui::GetKeyData(event.Key.Key)->Down != event.Key.Down;
}

// A press may be dropped, a release never: a key would stay down.
bool is_release(const ImGuiInputEvent& event) {
  return (event.Type == ImGuiInputEventType_Key && !event.Key.Down) ||
         (event.Type == ImGuiInputEventType_MouseButton && !event.MouseButton.Down);
}

}  // namespace

InputPace::InputPace() = default;
InputPace::~InputPace() = default;

InputPace::Focus InputPace::focus() {
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  Focus now;
  now.active = context.ActiveId;
  now.window = context.NavWindow != nullptr ? context.NavWindow->ID : 0;
  now.popups = context.OpenPopupStack.Size;
  now.typing = context.WantTextInputNextFrame;
  return now;
}

void InputPace::forget_stale(std::int64_t now_ns) {
  std::optional<std::uint32_t> stale;
  for (const Arrived& arrived : arrivals_) {
    if (now_ns - arrived.ns > kStale) stale = arrived.last_event;
  }
  if (!stale) return;
  ImVector<ImGuiInputEvent> kept;
  for (const ImGuiInputEvent& event : queue()) {
    const bool moves = event.Type == ImGuiInputEventType_MousePos;
    const bool state =
        event.Type == ImGuiInputEventType_Focus || event.Type == ImGuiInputEventType_MouseViewport;
    if (event.EventId > *stale || moves || state || is_release(event)) kept.push_back(event);
  }
  queue().swap(kept);
}

// Merges input: between two presses only the last mouse position and the sum of wheel turns count.
void InputPace::put_together() {
  ImVector<ImGuiInputEvent> kept;
  int begin = 0;  // start of the moves and turns at the end of `kept`
  for (const ImGuiInputEvent& event : queue()) {
    const bool moves = event.Type == ImGuiInputEventType_MousePos;
    const bool turns = event.Type == ImGuiInputEventType_MouseWheel;
    if (!moves && !turns) {
      kept.push_back(event);
      begin = kept.Size;
      continue;
    }
    int same = begin;
    while (same < kept.Size && kept[same].Type != event.Type) ++same;
    if (same == kept.Size) {
      kept.push_back(event);
    } else if (moves) {
      kept[same] = event;
    } else {
      kept[same].MouseWheel.WheelX += event.MouseWheel.WheelX;
      kept[same].MouseWheel.WheelY += event.MouseWheel.WheelY;
    }
  }
  queue().swap(kept);
}

std::size_t InputPace::seen_now() {
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  const Focus now = focus();
  const bool asked = context.NavMoveSubmitted || context.NavMoveScoringItems ||
                     context.NavInitRequest || context.NavNextActivateId != 0;
  const bool settled = now == focus_ && !asked;
  focus_ = now;
  const bool typing = now.typing == 1;
  unsettled_frames_ = settled || unsettled_frames_ >= kMostUnsettled ? 0 : unsettled_frames_ + 1;
  const bool keys_wait = unsettled_frames_ > 0;
  bool pressed = false;
  const auto& events = queue();
  for (int i = 0; i < events.Size; ++i) {
    const ImGuiInputEvent& event = events[i];
    if (event.Type == ImGuiInputEventType_Text && keys_wait) return static_cast<std::size_t>(i);
    if (event.Type == ImGuiInputEventType_MouseButton && pressed)
      return static_cast<std::size_t>(i);
    if (event.Type != ImGuiInputEventType_Key || !changes(event)) continue;
    if (event.Key.Down && keys_wait) return static_cast<std::size_t>(i);
    // Any number of letters may arrive while typing, each also as a character.
    const bool letter =
        typing && !is_modifier(event.Key.Key) && (context.IO.KeyMods & ~ImGuiMod_Shift) == 0;
    if (letter) continue;
    if (pressed && (is_modifier(event.Key.Key) || event.Key.Down))
      return static_cast<std::size_t>(i);
    if (event.Key.Down && !is_modifier(event.Key.Key)) pressed = true;
  }
  return static_cast<std::size_t>(events.Size);
}

void InputPace::hold(std::int64_t now_ns) {
  if (!queue().empty()) {
    const std::uint32_t last = queue().back().EventId;
    if (arrivals_.empty() || arrivals_.back().last_event != last)
      arrivals_.push_back({last, now_ns});
  }
  forget_stale(now_ns);
  put_together();
  const auto seen = static_cast<int>(seen_now());
  auto& events = queue();
  held_.assign(events.begin() + seen, events.end());
  events.resize(seen);
}

void InputPace::release() {
  auto& events = queue();
  for (const ImGuiInputEvent& event : held_) events.push_back(event);
  held_.clear();
  waiting_ = !events.empty();
  const std::uint32_t first = waiting_ ? events.front().EventId : ~0U;
  while (!arrivals_.empty() && (arrivals_.front().last_event < first || !waiting_)) {
    arrivals_.pop_front();
  }
}

}  // namespace ts::app
