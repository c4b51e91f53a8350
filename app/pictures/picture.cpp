#include "app/pictures/picture.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include "app/session/languages.h"
#include "core/io/file.h"
#include "core/io/png.h"
#include "core/text/message.h"
#include "views/common/imgui_sink.h"
#include "views/common/svg_sink.h"

namespace ts::app {
namespace {

// The first frames determine docking sizes, scroll ranges and text columns; the next ones fill the
// chart caches.
constexpr int kFramesToSettle = 6;

// A separate Dear ImGui context, so that drawing a picture does not change the window's layout.
class PictureContext {
 public:
  explicit PictureContext(Graphics& graphics) : previous_(ImGui::GetCurrentContext()) {
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    ready_ = graphics.attach_imgui(false);
  }
  ~PictureContext() {
    if (ready_) ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(context_);
    ImGui::SetCurrentContext(previous_);
  }
  PictureContext(const PictureContext&) = delete;
  PictureContext& operator=(const PictureContext&) = delete;
  [[nodiscard]] bool ready() const { return ready_; }

 private:
  ImGuiContext* previous_;
  ImGuiContext* context_;
  bool ready_ = false;
};

}  // namespace

base::Result<void> render_picture(Graphics& graphics, text::Language language, int width,
                                  int height, views::Color background,
                                  const std::function<DrawFrame(const PictureFrame&)>& prepare,
                                  const std::filesystem::path& path) {
  TS_TRY(const auto canvas, Canvas::make(width, height));
  views::Fonts fonts;  // outlives the context that uses its bytes
  const PictureContext context(graphics);
  if (!context.ready()) return text::fail("picture_error.renderer");
  const text::Texts texts = built_in_texts(language);
  ImGuiIO& io = ImGui::GetIO();
  const views::Fonts::Faces faces = fonts.add_to(*io.Fonts, language);
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  const DrawFrame draw = prepare({faces, texts, {0, 0, io.DisplaySize.x, io.DisplaySize.y}});
  for (int frame = 0; frame < kFramesToSettle; ++frame) {
    io.DeltaTime = 1.0F / 60;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    draw();
    ImGui::Render();
    canvas->bind();
    clear_target(background, width, height);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    Canvas::unbind();
  }
  const std::vector<std::uint8_t> pixels = canvas->read_rgb();
  return io::write_png(path, {width, height, pixels});
}

FigurePage light_page(text::Language language, float width, float height) {
  constexpr float kEdge = 16 * kLightScale;
  return {.language = language,
          .width = static_cast<int>(width * kLightScale),
          .height = static_cast<int>(height + 2 * kEdge),
          .background = views::theme(views::ThemeKind::light).bg,
          .scale = kLightScale,
          .margin = kEdge};
}

base::Result<void> save_figure(Graphics& graphics, const FigurePage& page, const DrawFigure& draw,
                               const std::filesystem::path& folder, const std::string& name) {
  std::string svg;
  const auto prepare = [&](const PictureFrame& frame) -> DrawFrame {
    return [&, faces = frame.faces, area = frame.area, &texts = frame.texts] {
      const views::Rect inside{area.x0 + page.margin, area.y0 + page.margin, area.x1 - page.margin,
                               area.y1 - page.margin};
      views::ImGuiSink sink(*ImGui::GetBackgroundDrawList(), faces, page.scale);
      draw(sink, inside, texts);
      views::SvgSink vector(sink, area.width(), area.height(), page.background);
      draw(vector, inside, texts);
      svg = vector.document();
    };
  };
  auto drawn = render_picture(graphics, page.language, page.width, page.height, page.background,
                              prepare, folder / (name + ".png"));
  if (!drawn) return drawn;
  return io::write_file(folder / (name + ".svg"), svg);
}

}  // namespace ts::app
