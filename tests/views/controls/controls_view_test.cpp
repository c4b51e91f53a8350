#include "views/controls/controls_view.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "assets/assets.h"
#include "tests/views/common/imgui_driver.h"
#include "views/common/imgui_sink.h"
#include "views/controls/field_access.h"

namespace ts::views {
namespace {

using testing::ImGuiDriver;

text::Texts built_in() {
  return {*text::Catalogue::parse(assets::locale_en()),
          *text::Catalogue::parse(assets::locale_zh_cn()),
          *text::Catalogue::parse(assets::locale_zh_tw())};
}

// The real panel with a mouse and keys of the test's own; nothing is rendered.
class ControlsView : public ::testing::Test {
 protected:
  static spec::WorkloadSpec start() {
    spec::WorkloadSpec spec;
    spec.workload = spec::WorkloadKind::lm;
    spec.heads = 8;
    spec.d_model = 512;
    spec.seq_len = 512;
    return spec;
  }
  void frame() {
    driver_.frame([this] {
      apply_style(theme(ThemeKind::dark), {1});
      const Ui ui{theme(ThemeKind::dark), {1}, faces_, texts_};
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({320, 2400});
      ImGui::Begin("###controls", nullptr, ImGuiWindowFlags_NoDecoration);
      draw_controls({ui, history_, gpus_, nullptr, nullptr, nullptr, &targets_});
      ImGui::End();
    });
  }
  void click(const char* label) {
    const ImRect rect = driver_.rect(label);
    move_to(rect.GetCenter());
    driver_.press();
    frame();
    driver_.release();
    frame();
    frame();
  }
  void move_to(ImVec2 place) {
    driver_.move(place);
    frame();
    frame();
  }
  void SetUp() override {
    frame();
    frame();
  }

  Fonts fonts_;  // outlives the context that uses its bytes
  ImGuiDriver driver_;
  Fonts::Faces faces_ = fonts_.add_to(*ImGui::GetIO().Fonts, text::Language::en);
  text::Texts texts_ = built_in();
  spec::GpuCatalogue gpus_ = *spec::GpuCatalogue::parse(assets::gpus());
  SpecHistory history_{start()};
  TargetChoice targets_;
};

TEST_F(ControlsView, a_slider_drag_changes_its_size_and_is_one_step_of_undo) {
  const ImRect track = driver_.rect("###slider_T");
  move_to({track.Min.x + 20, track.GetCenter().y});
  driver_.press();
  frame();
  for (float x = track.Min.x + 20; x < track.Max.x - 20; x += 7) move_to({x, track.GetCenter().y});
  const std::int64_t dragged = history_.spec().seq_len;
  EXPECT_GT(dragged, 2048);
  driver_.release();
  frame();
  frame();
  EXPECT_EQ(history_.spec().seq_len, dragged);
  ASSERT_TRUE(history_.can_undo());
  history_.undo();
  EXPECT_EQ(history_.spec(), start());
  EXPECT_FALSE(history_.can_undo());
}

TEST_F(ControlsView, a_size_can_be_typed) {
  click("###field_T");
  frame();
  driver_.type("3Ki");
  frame();
  driver_.key(ImGuiKey_Enter);
  frame();
  frame();
  EXPECT_EQ(history_.spec().seq_len, 3072);
  history_.undo();
  EXPECT_EQ(history_.spec(), start());
}

TEST_F(ControlsView, escape_leaves_what_was_typed) {
  click("###field_T");
  frame();
  driver_.type("77");
  frame();
  driver_.key(ImGuiKey_Escape);
  frame();
  frame();
  EXPECT_EQ(history_.spec(), start());
}

TEST_F(ControlsView, what_is_no_number_changes_nothing) {
  click("###field_T");
  frame();
  driver_.type("many");
  frame();
  driver_.key(ImGuiKey_Enter);
  frame();
  frame();
  EXPECT_EQ(history_.spec(), start());
  EXPECT_FALSE(history_.can_undo());
}

TEST_F(ControlsView, a_greyed_slider_does_not_move) {
  // The language model's d_head follows from d_model and heads.
  ASSERT_FALSE(spec::field_applies(start(), spec::Field::d_head));
  EXPECT_FALSE(driver_.rects().contains("###slider_d_head"));
  click("###idle_shape");
  const ImRect track = driver_.rect("###slider_d_head");
  move_to({track.Min.x + 10, track.GetCenter().y});
  driver_.press();
  frame();
  move_to({track.Max.x - 10, track.GetCenter().y});
  driver_.release();
  frame();
  EXPECT_EQ(history_.spec(), start());
}

TEST_F(ControlsView, another_workload_starts_from_a_preset_that_can_run) {
  for (const char* workload : {"###attention", "###mlp", "###block", "###lm", "###weighted_sum",
                               "###toy", "###accumulation", "###layernorm"}) {
    click(workload);
    EXPECT_EQ(std::string("###") + to_string(history_.spec().workload), workload);
    EXPECT_TRUE(spec::validate(history_.spec()).empty()) << workload;
  }
}

TEST_F(ControlsView, what_does_not_matter_is_folded_away) {
  EXPECT_TRUE(driver_.rects().contains("###slider_layers"));
  EXPECT_TRUE(driver_.rects().contains("###backend_flash"));
  click("###mlp");
  for (const char* idle : {"###slider_layers", "###slider_heads", "###backend_flash", "###causal"})
    EXPECT_FALSE(driver_.rects().contains(idle)) << idle;
  click("###idle_shape");
  EXPECT_TRUE(driver_.rects().contains("###slider_layers"));
  click("###idle_backend");
  EXPECT_TRUE(driver_.rects().contains("###backend_flash"));
  // A section in use has some as well: the language model has no choice of how tiles are cut.
  click("###lm");
  click("###more_attention");
  EXPECT_TRUE(driver_.rects().contains("###field_kv_heads"));
  EXPECT_FALSE(driver_.rects().contains("###field_T_kv"));
  click("###more_attention_idle");
  EXPECT_TRUE(driver_.rects().contains("###field_T_kv"));
}

TEST_F(ControlsView, workloads_are_one_even_grid) {
  for (int language = 0; language < text::kLanguageCount; ++language) {
    texts_.choose(static_cast<text::Language>(language));
    frame();
    frame();
    const ImVec2 size = driver_.rect("###attention").GetSize();
    std::set<float> columns;
    std::set<float> rows;
    for (const char* name : {"###attention", "###mlp", "###block", "###lm", "###weighted_sum",
                             "###toy", "###accumulation", "###layernorm"}) {
      const ImRect rect = driver_.rect(name);
      EXPECT_EQ(rect.GetSize().x, size.x) << name;
      EXPECT_EQ(rect.GetSize().y, size.y) << name;
      columns.insert(rect.Min.x);
      rows.insert(rect.Min.y);
      ImDrawList list(ImGui::GetDrawListSharedData());  // there is no other between frames
      const ImGuiSink sink(list, faces_, 1);
      const std::string key = std::string("controls.workload.") + (name + 3);
      EXPECT_LE(sink.text_width(TextStyle::body_medium, texts_(key)), rect.GetWidth()) << name;
    }
    EXPECT_EQ(columns.size() * rows.size(), 8U);
  }
}

TEST_F(ControlsView, a_card_is_found_by_typing) {
  click("###target");
  driver_.type("40 super");
  frame();
  frame();
  EXPECT_TRUE(driver_.rects().contains("###target_RTX 4070 SUPER"));
  EXPECT_FALSE(driver_.rects().contains("###target_H200 SXM"));
  driver_.key(ImGuiKey_Enter);
  frame();
  frame();
  frame();
  EXPECT_EQ(history_.spec().target_gpu, "RTX 4070 SUPER");
  EXPECT_FALSE(driver_.rects().contains("###target_find"));
}

TEST_F(ControlsView, cards_in_use_are_first_in_their_list) {
  spec::WorkloadSpec spec = start();
  spec.target_gpu = "MI300X";  // the last of the catalogue
  history_.set(spec);
  frame();
  const auto choose = [&](const char* typed) {
    click("###target");
    driver_.type(typed);
    frame();
    frame();
    driver_.key(ImGuiKey_Enter);
    for (int i = 0; i < 3; ++i) frame();
  };
  choose("h200");
  choose("b200");
  const std::vector<std::string> expected = {"B200", "H200 SXM", "MI300X"};
  EXPECT_EQ(targets_.recent, expected);
  click("###target");
  frame();
  // In sight without scrolling, above the first card of the catalogue.
  const float field = driver_.rect("###target_find").Max.y;
  const float first = driver_.rect("###target_RTX 2060").Min.y;
  for (const std::string& name : expected) {
    const ImRect rect = driver_.rect("###target_" + name);
    EXPECT_GE(rect.Min.y, field) << name;
    EXPECT_LE(rect.Max.y, first) << name;
  }
}

TEST_F(ControlsView, a_pass_that_is_impossible_cannot_be_chosen) {
  click("###attention");
  const spec::Pass before = history_.spec().pass;
  click("###pass_refused");
  click("###full_step");
  EXPECT_EQ(history_.spec().pass, before);
  click("###forward");
  EXPECT_EQ(history_.spec().pass, spec::Pass::forward);
}

TEST_F(ControlsView, sets_backend_precision_and_mask) {
  click("###backend_flash");
  EXPECT_EQ(history_.spec().backend, spec::AttentionBackend::flash);
  click("###bf16");
  EXPECT_EQ(history_.spec().dtype, spec::DataType::bf16);
  const bool causal = history_.spec().causal;
  click("###causal");
  EXPECT_NE(history_.spec().causal, causal);
}

TEST_F(ControlsView, what_the_device_cannot_do_cannot_be_chosen) {
  // Folded away with their number, and greyed where they are looked at.
  for (const char* refused : {"###backend_efficient", "###backend_cudnn", "###tf32"})
    EXPECT_FALSE(driver_.rects().contains(refused)) << refused;
  click("###backend_refused");
  click("###dtype_refused");
  for (const char* backend : {"###backend_efficient", "###backend_cudnn"}) {
    click(backend);
    EXPECT_EQ(history_.spec().backend, start().backend);
  }
  click("###tf32");
  EXPECT_EQ(history_.spec().dtype, spec::DataType::fp32);
  click("###fp16");
  EXPECT_EQ(history_.spec().dtype, spec::DataType::fp16);
}

TEST_F(ControlsView, folded_settings_open_and_change) {
  EXPECT_FALSE(driver_.rects().contains("###blocks"));
  click("###more_memory");
  click("###blocks");
  EXPECT_EQ(history_.spec().checkpoint, spec::Checkpoint::blocks);
  click("###field_accumulate");
  frame();
  driver_.type("4");
  frame();
  driver_.key(ImGuiKey_Enter);
  frame();
  frame();
  EXPECT_EQ(history_.spec().accumulate, 4);
}

TEST_F(ControlsView, the_allocator_is_set_by_switch_and_by_its_string) {
  click("###expandable_segments");
  EXPECT_EQ(history_.spec().alloc_conf, "expandable_segments:True");
  history_.undo();
  EXPECT_EQ(history_.spec().alloc_conf, "");
  click("###field_alloc_conf");
  frame();
  driver_.type("max_split_size_mb:7");
  frame();
  driver_.key(ImGuiKey_Enter);
  frame();
  frame();
  // It stands there as it was typed, with its sentence, and the switch waits.
  EXPECT_EQ(history_.spec().alloc_conf, "max_split_size_mb:7");
  click("###expandable_segments");
  EXPECT_EQ(history_.spec().alloc_conf, "max_split_size_mb:7");
  spec::WorkloadSpec spec = history_.spec();
  spec.alloc_conf = "max_split_size_mb:70";
  history_.set(spec);
  frame();
  click("###expandable_segments");
  EXPECT_EQ(history_.spec().alloc_conf, "expandable_segments:True,max_split_size_mb:70");
}

TEST_F(ControlsView, a_memory_limit_is_typed) {
  for (const auto& [typed, expected] : {std::pair{"600MiB", std::int64_t{600} << 20},
                                        {"much", std::int64_t{600} << 20},
                                        {"auto", std::int64_t{0}}}) {
    click("###field_memory_limit");
    frame();
    driver_.type(typed);
    frame();
    driver_.key(ImGuiKey_Enter);
    frame();
    frame();
    EXPECT_EQ(history_.spec().memory_limit, expected) << typed;
  }
}

TEST_F(ControlsView, what_expandable_segments_would_change_is_said) {
  predict::Outlook outlook;
  EXPECT_EQ(expandable_text(outlook, texts_), "");
  auto forecast = std::make_shared<predict::Forecast>();
  forecast->prediction.needed = std::int64_t{3} << 30;
  outlook.target = forecast;
  outlook.expandable = predict::ExpandableNeed{std::int64_t{2} << 30, predict::Fit::fits};
  EXPECT_EQ(expandable_text(outlook, texts_), "Would need 2.00 GiB, 1.00 GiB less");
  forecast->prediction.fit = predict::Fit::oom;
  EXPECT_EQ(expandable_text(outlook, texts_),
            "With them it would fit: 2.00 GiB needed, 1.00 GiB less");
  outlook.expandable->needed = forecast->prediction.needed;
  outlook.expandable->fit = predict::Fit::oom;
  EXPECT_EQ(expandable_text(outlook, texts_), "Would save nothing here");
}

TEST_F(ControlsView, numbers_with_a_point_are_typed) {
  spec::WorkloadSpec spec = start();
  spec.pass = spec::Pass::full_step;
  history_.set(spec);
  click("###more_optimizer");
  for (const auto& [typed, expected] : {std::pair{"1e-3", 1e-3}, {"fast", 1e-3}, {"-1", 1e-3}}) {
    click("###field_lr");
    frame();
    driver_.type(typed);
    frame();
    driver_.key(ImGuiKey_Enter);
    frame();
    frame();
    EXPECT_EQ(history_.spec().learning_rate, expected) << typed;
  }
}

TEST_F(ControlsView, a_number_that_follows_another_is_shown_as_that_one) {
  click("###more_attention");
  spec::WorkloadSpec spec = history_.spec();
  EXPECT_EQ(slider_number(spec, spec::Field::kv_heads), spec.heads);
  set_slider_number(spec, spec::Field::kv_heads, 2);
  EXPECT_EQ(spec.kv_heads, 2);
  set_slider_number(spec, spec::Field::kv_heads, spec.heads);
  EXPECT_EQ(spec.kv_heads, 0);
}

// Every control keeps to its panel, in every language.
TEST_F(ControlsView, nothing_reaches_over_the_edge) {
  for (const char* section : {"###more_attention", "###more_model", "###more_precision"}) {
    click(section);
  }
  for (int language = 0; language < text::kLanguageCount; ++language) {
    texts_.choose(static_cast<text::Language>(language));
    frame();
    frame();
    for (const auto& [label, rect] : driver_.rects()) {
      if (!label.starts_with("###")) continue;
      EXPECT_GE(rect.Min.x, 0) << label;
      EXPECT_LE(rect.Max.x, 320) << label;
    }
  }
}

}  // namespace
}  // namespace ts::views
