#include "tests/views/software_renderer.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace ts::views::testing {
namespace {

struct Rgba {
  float r = 0, g = 0, b = 0, a = 0;
};

Rgba unpack(std::uint32_t color) {
  return {static_cast<float>(color & 0xFFU), static_cast<float>((color >> 8) & 0xFFU),
          static_cast<float>((color >> 16) & 0xFFU), static_cast<float>(color >> 24) / 255.0F};
}

class Canvas {
 public:
  Canvas(SoftwareFrame& frame, ImVec2 origin) : frame_(frame), origin_(origin) {}

  void set_clip(const ImVec4& clip) {
    x0_ = std::max(0, static_cast<int>(std::floor(clip.x - origin_.x + 0.5F)));
    y0_ = std::max(0, static_cast<int>(std::floor(clip.y - origin_.y + 0.5F)));
    x1_ = std::min(frame_.width, static_cast<int>(std::floor(clip.z - origin_.x + 0.5F)));
    y1_ = std::min(frame_.height, static_cast<int>(std::floor(clip.w - origin_.y + 0.5F)));
  }

  void triangle(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c,
                const ImTextureData* texture) {
    const ImVec2 p = at(a);
    const ImVec2 q = at(b);
    const ImVec2 r = at(c);
    const float area = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    if (area == 0) return;
    if (area < 0) return triangle(a, c, b, texture);
    const int left = std::max(x0_, static_cast<int>(std::floor(std::min({p.x, q.x, r.x}))));
    const int right = std::min(x1_, static_cast<int>(std::ceil(std::max({p.x, q.x, r.x}))));
    const int top = std::max(y0_, static_cast<int>(std::floor(std::min({p.y, q.y, r.y}))));
    const int bottom = std::min(y1_, static_cast<int>(std::ceil(std::max({p.y, q.y, r.y}))));
    const Rgba ca = unpack(a.col);
    const Rgba cb = unpack(b.col);
    const Rgba cc = unpack(c.col);
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) {
        const ImVec2 s{static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F};
        const float wa = edge(q, r, s);
        const float wb = edge(r, p, s);
        const float wc = edge(p, q, s);
        if (!inside(wa, q, r) || !inside(wb, r, p) || !inside(wc, p, q)) continue;
        const float ka = wa / area;
        const float kb = wb / area;
        const float kc = wc / area;
        Rgba color{ca.r * ka + cb.r * kb + cc.r * kc, ca.g * ka + cb.g * kb + cc.g * kc,
                   ca.b * ka + cb.b * kb + cc.b * kc, ca.a * ka + cb.a * kb + cc.a * kc};
        const float u = a.uv.x * ka + b.uv.x * kb + c.uv.x * kc;
        const float v = a.uv.y * ka + b.uv.y * kb + c.uv.y * kc;
        color.a *= alpha(texture, u, v);
        blend(x, y, color);
      }
    }
  }

 private:
  [[nodiscard]] ImVec2 at(const ImDrawVert& v) const {
    return {v.pos.x - origin_.x, v.pos.y - origin_.y};
  }
  static float edge(ImVec2 a, ImVec2 b, ImVec2 p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
  }
  // Pixels on a shared edge belong to one of its triangles.
  static bool inside(float weight, ImVec2 a, ImVec2 b) {
    if (weight != 0) return weight > 0;
    return a.y > b.y || (a.y == b.y && a.x < b.x);
  }
  // The font texture is white: only its coverage matters.
  static float alpha(const ImTextureData* texture, float u, float v) {
    if (texture == nullptr || texture->Pixels == nullptr) return 1;
    const float x = u * static_cast<float>(texture->Width) - 0.5F;
    const float y = v * static_cast<float>(texture->Height) - 0.5F;
    const int ix = static_cast<int>(std::floor(x));
    const int iy = static_cast<int>(std::floor(y));
    const float fx = x - static_cast<float>(ix);
    const float fy = y - static_cast<float>(iy);
    const auto texel = [&](int tx, int ty) {
      tx = std::clamp(tx, 0, texture->Width - 1);
      ty = std::clamp(ty, 0, texture->Height - 1);
      const unsigned char* pixel =
          texture->Pixels + (ty * texture->Width + tx) * texture->BytesPerPixel;
      return static_cast<float>(pixel[texture->BytesPerPixel - 1]) / 255.0F;
    };
    return (texel(ix, iy) * (1 - fx) + texel(ix + 1, iy) * fx) * (1 - fy) +
           (texel(ix, iy + 1) * (1 - fx) + texel(ix + 1, iy + 1) * fx) * fy;
  }
  void blend(int x, int y, const Rgba& color) {
    std::uint8_t* pixel = frame_.rgb.data() + 3 * (static_cast<std::size_t>(y) *
                                                       static_cast<std::size_t>(frame_.width) +
                                                   static_cast<std::size_t>(x));
    const auto mix = [&](std::uint8_t under, float over) {
      const float value = static_cast<float>(under) * (1 - color.a) + over * color.a;
      return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
    };
    pixel[0] = mix(pixel[0], color.r);
    pixel[1] = mix(pixel[1], color.g);
    pixel[2] = mix(pixel[2], color.b);
  }

  SoftwareFrame& frame_;
  ImVec2 origin_;
  int x0_ = 0, y0_ = 0, x1_ = 0, y1_ = 0;
};

}  // namespace

void take_over_textures(ImDrawData& data) {
  if (data.Textures == nullptr) return;
  for (ImTextureData* texture : *data.Textures) {
    if (texture->Status == ImTextureStatus_WantCreate ||
        texture->Status == ImTextureStatus_WantUpdates) {
      texture->SetTexID(static_cast<ImTextureID>(texture->UniqueID + 1));
      texture->SetStatus(ImTextureStatus_OK);
    } else if (texture->Status == ImTextureStatus_WantDestroy) {
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    }
  }
}

SoftwareFrame render(const ImDrawData& data, std::uint32_t background) {
  SoftwareFrame frame;
  frame.width = static_cast<int>(data.DisplaySize.x);
  frame.height = static_cast<int>(data.DisplaySize.y);
  frame.rgb.resize(static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height) *
                   3);
  for (std::size_t i = 0; i < frame.rgb.size(); i += 3) {
    frame.rgb[i] = static_cast<std::uint8_t>(background & 0xFFU);
    frame.rgb[i + 1] = static_cast<std::uint8_t>((background >> 8) & 0xFFU);
    frame.rgb[i + 2] = static_cast<std::uint8_t>((background >> 16) & 0xFFU);
  }
  Canvas canvas(frame, data.DisplayPos);
  for (const ImDrawList* list : data.CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) {
      if (command.UserCallback != nullptr) continue;
      canvas.set_clip(command.ClipRect);
      const ImDrawIdx* indices = list->IdxBuffer.Data + command.IdxOffset;
      const ImDrawVert* vertices = list->VtxBuffer.Data + command.VtxOffset;
      for (unsigned i = 0; i + 2 < command.ElemCount; i += 3)
        canvas.triangle(vertices[indices[i]], vertices[indices[i + 1]], vertices[indices[i + 2]],
                        command.TexRef._TexData);
    }
  }
  return frame;
}

}  // namespace ts::views::testing
