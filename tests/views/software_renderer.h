#pragma once

#include <cstdint>
#include <vector>

struct ImDrawData;

namespace ts::views::testing {

// Draws what Dear ImGui made of a frame into memory: pictures without a display or a driver.
struct SoftwareFrame {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // width * height * 3
};
SoftwareFrame render(const ImDrawData& data, std::uint32_t background);
// Answers Dear ImGui's requests for textures; after every ImGui::Render().
void take_over_textures(ImDrawData& data);

}  // namespace ts::views::testing
