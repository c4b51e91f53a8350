#include "views/common/backend_marks.h"

#include <array>

namespace ts::views {

namespace {

struct Row {
  Color dark;
  Color light;
  MarkShape shape;
};

// In the order of TENSORSCOPE_BACKENDS.
constexpr std::array<Row, spec::kBackendCount> kRows = {{
    {rgb(0xA4ACB8), rgb(0x6A717C), MarkShape::circle},          // naive
    {rgb(0xE69F00), rgb(0xC77F00), MarkShape::square},          // math
    {rgb(0x56B4E9), rgb(0x1F86C4), MarkShape::triangle_up},     // flash
    {rgb(0x2FB58C), rgb(0x009E73), MarkShape::diamond},         // efficient
    {rgb(0xD98BB5), rgb(0xB0558A), MarkShape::triangle_down},   // cudnn
    {rgb(0xF0E442), rgb(0x8C8200), MarkShape::triangle_right},  // tiled
    {rgb(0xE4572E), rgb(0xC23B14), MarkShape::hexagon},         // own
    {rgb(0xE9ECF1), rgb(0x2C333D), MarkShape::ring},            // automatic
}};

const Row& row_of(spec::AttentionBackend backend) {
  return kRows[static_cast<std::size_t>(backend)];
}

}  // namespace

Color backend_color(ThemeKind theme, spec::AttentionBackend backend) {
  const Row& row = row_of(backend);
  return theme == ThemeKind::dark ? row.dark : row.light;
}

MarkShape backend_shape(spec::AttentionBackend backend) {
  return row_of(backend).shape;
}

}  // namespace ts::views
