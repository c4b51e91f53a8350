#include "core/stats/call_stacks.h"

#include <algorithm>
#include <cctype>

namespace ts::stats {

CallStacks::CallStacks(std::span<const OperatorCall> calls, const base::StringTable& strings) {
  std::unordered_map<base::StringId, std::string> modules;
  of_call_.reserve(calls.size());
  for (const OperatorCall& call : calls) {
    if (call.again) {
      of_call_.push_back(of_call_[call.parent]);
      continue;
    }
    std::uint32_t below = kNone;
    if (call.parent != OperatorCall::kNoParent) {
      below = of_call_[call.parent];  // parents come first
    } else if (call.slice.module != base::kNoString) {
      const auto [module, fresh] = modules.try_emplace(call.slice.module);
      if (fresh) module->second = without_layer_numbers(strings.view(call.slice.module));
      below = frame(kNone, module->second);
    }
    of_call_.push_back(frame(below, std::string(strings.view(call.slice.name))));
  }
}

std::uint32_t CallStacks::frame(std::uint32_t below, const std::string& name) {
  const auto [found, fresh] =
      index_.try_emplace({below, name}, static_cast<std::uint32_t>(frames_.size()));
  if (fresh) frames_.push_back({below, name});
  return found->second;
}

std::string CallStacks::text(std::uint32_t stack) const {
  std::string text = frames_[stack].name;
  for (std::uint32_t at = frames_[stack].below; at != kNone; at = frames_[at].below) {
    text.insert(0, frames_[at].name + ";");
  }
  return text;
}

std::string without_layer_numbers(std::string_view path) {
  std::string out;
  while (true) {
    const std::size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    const bool number = !part.empty() && std::ranges::all_of(part, [](unsigned char letter) {
      return std::isdigit(letter) != 0;
    });
    out += number ? std::string_view("*") : part;
    if (dot == path.npos) return out;
    out += '.';
    path.remove_prefix(dot + 1);
  }
}

}  // namespace ts::stats
