// Renders both charts, and tables, of made-up runs into PNG files, for looking at: chart_pictures
// OUT_DIR. Needs no display.
#include <imgui.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "assets/assets.h"
#include "core/io/png.h"
#include "tests/views/gpu_run.h"
#include "tests/views/software_renderer.h"
#include "tests/views/synthetic_run.h"
#include "views/common/fonts.h"
#include "views/inspector/inspector_view.h"
#include "views/memory/memory_view.h"
#include "views/tables/kernels_view.h"
#include "views/timeline/timeline_view.h"

namespace ts::views::testing {
namespace {

text::Catalogue catalogue(std::string_view json) {
  auto parsed = text::Catalogue::parse(json);
  if (!parsed) {
    std::fprintf(stderr, "%s\n", parsed.error().sentence.c_str());
    std::exit(1);
  }
  return *parsed;
}

struct Scene {
  std::string name;
  int width = 1240;
  int height = 1030;
  float scale = 1;
  ThemeKind theme = ThemeKind::dark;
  text::Language language = text::Language::en;
  const run::Run* run = nullptr;
  std::int64_t target_bytes = 0;
  std::string target_name;
  float split = 0.46F;                    // part of the height the timeline takes
  std::function<void(ViewState&)> state;  // before the first frame
  Point mouse{-1, -1};                    // part of width and height; -1 away
  // Instead of the charts.
  std::function<void(const Ui&, const ViewContext&)> page;
};

class Studio {
 public:
  Studio(std::filesystem::path folder, const base::StringTable& strings)
      : folder_(std::move(folder)),
        strings_(strings),
        texts_(catalogue(assets::locale_en()), catalogue(assets::locale_zh_cn()),
               catalogue(assets::locale_zh_tw())) {}

  void take(const Scene& scene) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    io.DisplaySize = {static_cast<float>(scene.width), static_cast<float>(scene.height)};
    const Fonts::Faces faces = fonts_.add_to(*io.Fonts, scene.language);
    texts_.choose(scene.language);
    ViewState state;
    if (scene.state) scene.state(state);
    TimelineView timeline;
    MemoryView memory;
    const Theme& colors = theme(scene.theme);
    const auto width = static_cast<float>(scene.width);
    const auto height = static_cast<float>(scene.height);
    const float middle = std::round(height * scene.split);
    constexpr int kFrames = 6;
    for (int frame = 0; frame < kFrames; ++frame) {
      io.DeltaTime = 1.0F / 60;
      if (scene.mouse.x >= 0) io.AddMousePosEvent(scene.mouse.x * width, scene.mouse.y * height);
      ImGui::NewFrame();
      ViewContext context{scene.run,
                          strings_,
                          texts_,
                          colors,
                          Metrics{scene.scale},
                          state,
                          1'000'000'000 + frame * std::int64_t{400'000'000},
                          scene.target_bytes,
                          scene.target_name,
                          &faces};
      if (scene.page) {
        const Ui ui{colors, Metrics{scene.scale}, faces, texts_};
        apply_style(colors, Metrics{scene.scale});
        in_window("page", {8, 8, width - 8, height - 8}, [&] { scene.page(ui, context); });
      } else {
        in_window("timeline", {0, 0, width, middle}, [&] { timeline.draw(context); });
        in_window("memory", {0, middle + 1, width, height}, [&] { memory.draw(context); });
        ImGui::GetForegroundDrawList()->AddRectFilled({0, middle}, {width, middle + 1},
                                                      colors.line);
      }
      ImGui::Render();
      take_over_textures(*ImGui::GetDrawData());
    }
    const SoftwareFrame picture = render(*ImGui::GetDrawData(), colors.surface);
    const auto path = folder_ / (scene.name + ".png");
    const auto written = io::write_png(path, {picture.width, picture.height, picture.rgb});
    if (!written) std::fprintf(stderr, "%s\n", written.error().sentence.c_str());
    std::printf("%s  %d vertices\n", path.c_str(), ImGui::GetDrawData()->TotalVtxCount);
    ImGui::DestroyContext();
  }

 private:
  static void in_window(const char* name, const Rect& area, const std::function<void()>& draw) {
    ImGui::SetNextWindowPos({area.x0, area.y0});
    ImGui::SetNextWindowSize({area.width(), area.height()});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::Begin(name, nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground);
    ImGui::PopStyleVar(2);
    draw();
    ImGui::End();
  }

  std::filesystem::path folder_;
  const base::StringTable& strings_;
  text::Texts texts_;
  Fonts fonts_;
};

void take_all(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  base::StringTable strings;
  TransformerShape shape;
  const auto full = transformer_run(strings, shape);
  shape.stop_after = 0.55;
  const auto live = transformer_run(strings, shape);
  shape.stop_after = 1;
  shape.memory_limit = std::int64_t{9} << 30;
  const auto refused = transformer_run(strings, shape);
  Studio studio(folder, strings);
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  const auto range = full->trace.range();
  const auto part = [&](double at) {
    return range.begin + static_cast<std::int64_t>(at * static_cast<double>(range.length()));
  };

  Scene scene;
  scene.run = full.get();
  scene.target_bytes = 16 * kGiB;
  scene.target_name = "RTX 4080";
  scene.name = "dark_fit";
  studio.take(scene);

  scene.name = "dark_zoom";
  scene.mouse = {0.35F, 0.8F};
  scene.state = [&](ViewState& state) {
    state.visible = {part(0.40), part(0.46)};
    state.marked = base::TimeRange{part(0.42), part(0.44)};
  };
  studio.take(scene);

  scene.name = "dark_select";
  scene.mouse = {0.3F, 0.2F};
  scene.state = [&](ViewState& state) {
    state.visible = {part(0.02), part(0.36)};
    state.selected_slice = trace::SliceRef{1, 3, 40};
    state.link_axes = false;
  };
  studio.take(scene);

  scene.name = "dark_search";
  scene.mouse = {-1, -1};
  scene.state = [&](ViewState& state) {
    state.visible = {part(0.40), part(0.46)};
    state.search = "softmax";
  };
  studio.take(scene);

  scene = {};
  scene.run = live.get();
  scene.name = "dark_live_events";
  scene.target_bytes = 80 * kGiB;
  scene.target_name = "H100";
  scene.state = [](ViewState& state) {
    state.memory_axis = memory::Axis::event;
    state.block_colors = BlockColors::allocation;
  };
  studio.take(scene);

  scene = {};
  scene.run = refused.get();
  scene.name = "light_oom";
  scene.theme = ThemeKind::light;
  scene.target_bytes = 9 * kGiB;
  scene.target_name = "memory_limit";
  studio.take(scene);

  scene.run = full.get();
  scene.name = "projector";
  scene.width = 1920;
  scene.height = 780;
  scene.scale = 1.6F;
  scene.split = 0.4F;
  scene.target_bytes = 24 * kGiB;
  scene.target_name = "RTX 4090";
  studio.take(scene);

  scene.name = "chinese";
  scene.width = 1240;
  scene.height = 1030;
  scene.scale = 1;
  scene.split = 0.46F;
  scene.language = text::Language::zh_cn;
  studio.take(scene);

  scene.name = "small";
  scene.language = text::Language::en;
  scene.theme = ThemeKind::dark;
  scene.width = 640;
  scene.height = 420;
  studio.take(scene);

  scene.name = "empty";
  scene.run = nullptr;
  studio.take(scene);
}

// The same for a run on a GPU.
void take_gpu(const std::filesystem::path& folder) {
  base::StringTable strings;
  TransformerShape shape;
  shape.layers = 4;
  const auto run = transformer_run(strings, shape);
  add_gpu(*run, strings);
  Studio studio(folder, strings);
  const auto range = run->trace.range();

  Scene scene;
  scene.run = run.get();
  scene.name = "gpu_timeline";
  scene.target_bytes = std::int64_t{24} << 30;
  scene.target_name = "RTX 4090";
  scene.state = [&](ViewState& state) {
    state.visible = {range.begin + range.length() / 2,
                     range.begin + range.length() / 2 + range.length() / 40};
    state.link_axes = false;
  };
  studio.take(scene);

  // With room for all tracks: idle times and launch queue.
  const int height = scene.height;
  scene.height = 1500;
  for (const bool light : {false, true}) {
    scene.theme = light ? ThemeKind::light : ThemeKind::dark;
    scene.language = light ? text::Language::zh_cn : text::Language::en;
    scene.name = light ? "gpu_queue_light_chinese" : "gpu_queue";
    studio.take(scene);
  }
  scene.height = height;

  KernelsView kernels;
  InspectorView inspector;
  for (const bool light : {false, true}) {
    scene.theme = light ? ThemeKind::light : ThemeKind::dark;
    scene.language = light ? text::Language::zh_cn : text::Language::en;
    const std::string suffix = light ? "_light_chinese" : "_dark";
    scene.name = "gpu_kernels" + suffix;
    scene.width = 1280;
    scene.height = 400;
    scene.page = [&](const Ui& ui, const ViewContext& context) {
      kernels.draw(ui, context, std::nullopt, "", ui.px(360));
    };
    studio.take(scene);
    scene.name = "gpu_inspector" + suffix;
    scene.width = 360;
    scene.height = 1400;
    scene.page = [&](const Ui& ui, const ViewContext& context) { inspector.draw(ui, context, {}); };
    studio.take(scene);
  }
}

}  // namespace
}  // namespace ts::views::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: chart_pictures OUT_DIR\n");
    return 2;
  }
  ts::views::testing::take_all(argv[1]);
  ts::views::testing::take_gpu(argv[1]);
  return 0;
}
