// A user's way through the window, from the first start to the picture that is handed in.
#include <fstream>

#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

// Middle of a panel's content, where charts lie.
ImVec2 middle_of(ImGuiTestContext* context, const char* panel, float x = 0.5F, float y = 0.5F) {
  const ImGuiWindow* found = context->GetWindowByRef(panel);
  return {found->Pos.x + found->Size.x * x, found->Pos.y + found->Size.y * y};
}

TEST_F(DrivenWindow, SpaceRunsTheWorkload) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    const run::Run& run = *session().run();
    IM_CHECK(run.verdict == run::Verdict::ok);
    IM_CHECK_GT(run.trace.slice_count(), std::uint64_t{20});
    IM_CHECK_GT(run.memory.peak_bytes(), std::int64_t{2 * 128 * 128 * 4});
    IM_CHECK_EQ(run.dropped, std::uint64_t{0});
    IM_CHECK_GE(run.timing().n, 10);
  });
}

// A GPU that answers nothing any more takes the program with it, but not what was measured.
TEST_F(DrivenWindow, WhatWasMeasuredOutlivesARestart) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    IM_CHECK(!context->ItemExists("//###restart_bar/###restart"));
    session().share_current()->failure.restart = true;
    context->Yield(2);
    context->ItemClick("//###restart_bar/###restart");
    IM_CHECK(until(context, 20, [] { return restarted_with().size() == 1; }));
    IM_CHECK(std::filesystem::file_size(restarted_with().front()) > 0);
    IM_CHECK(std::filesystem::exists(restarted_with().front().parent_path() / "run.json"));
    IM_CHECK(std::filesystem::exists(restarted_with().front().parent_path() / "trace.json"));
    base::Message problem;
    IM_CHECK(load_preferences(folder() / "config", problem).spec == small_attention());
    session().share_current()->failure.restart = false;
  });
}

// Settings that could not be used are named at every start, until somebody has seen it.
TEST_F(DrivenWindow, SettingsThatWereSetAsideAreNamedUntilTheyAreSeen) {
  drive([](ImGuiTestContext* context) {
    const char* const item = "//###status_bar/###set_aside";
    IM_CHECK(!context->ItemExists(item));
    state().preferences.set_aside = folder() / "settings.set-aside.json";
    context->Yield(2);
    IM_CHECK(context->ItemExists(item));
    context->ItemClick(item);
    context->Yield(2);
    IM_CHECK(!context->ItemExists(item));
    IM_CHECK(state().preferences.set_aside.empty());
  });
}

TEST_F(DrivenWindow, RunButtonRunsAndStops) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###top_bar/###run");
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
    IM_CHECK(session().run()->verdict == run::Verdict::ok);
  });
}

TEST_F(DrivenWindow, PredictsWithoutARun) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
    IM_CHECK_GT(prediction()->run.log.peak_bytes(), std::int64_t{2 * 128 * 128 * 4});
    // Every change is predicted anew, by itself.
    spec::WorkloadSpec spec = small_attention();
    spec.seq_len = 2048;
    const std::int64_t before = prediction()->run.log.peak_bytes();
    show(spec);
    IM_CHECK(until(context, 10, [] { return prediction() != nullptr; }));
    IM_CHECK_GT(prediction()->run.log.peak_bytes(), 16 * before);
    IM_CHECK(until(context, 30, [] { return !session().predictions().busy(); }));
    context->Yield();  // what was found last is taken by the next frame
    IM_CHECK(session().predictions().outlook()->complete);
    const predict::SizeEdge* edge = session().predictions().outlook()->edge(spec::Field::T);
    IM_CHECK(edge != nullptr && edge->current && edge->first_too_large.has_value());
  });
}

TEST_F(DrivenWindow, WhatIsPredictedIsWhatIsMeasured) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    IM_CHECK(until(context, 30, [] {
      const predict::Outlook* outlook = session().predictions().outlook();
      return outlook != nullptr && outlook->own != nullptr;
    }));
    const predict::Forecast& own = *session().predictions().outlook()->own;
    IM_CHECK_EQ(own.run.log.peak_bytes(), session().run()->memory.peak_bytes());
  });
}

TEST_F(DrivenWindow, TypedNumberIsOneUndoStep) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###controls/###field_T");
    context->Yield(2);
    context->KeyCharsReplaceEnter("384");
    context->Yield(2);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{384});
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{128});
    context->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{384});
  });
}

TEST_F(DrivenWindow, TypedNonsenseChangesNothing) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###controls/###field_T");
    context->Yield(2);
    context->KeyCharsReplaceEnter("many");
    context->Yield(2);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{128});
    IM_CHECK(state().history.refusal().has_value());
    IM_CHECK_STR_EQ(state().history.refusal()->why.sentence.c_str(),
                    "T takes a whole number such as 512, 2k or 2Ki, not \"many\"");
    context->ItemClick("//###controls/###field_T");
    context->Yield(2);
    context->KeyCharsReplaceEnter("0");
    context->Yield(2);
    IM_CHECK_STR_EQ(state().history.refusal()->why.key.c_str(), "spec.error.range");
    context->ItemDragWithDelta("//###controls/###slider_B", {40, 0});
    context->Yield(2);
    IM_CHECK(!state().history.refusal().has_value());
  });
}

TEST_F(DrivenWindow, ClickingElsewhereKeepsWhatWasTyped) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###controls/###field_T");
    context->Yield(2);
    context->KeyCharsReplace("320");
    context->ItemClick("//###controls/###field_B");
    context->Yield(3);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{320});
    context->KeyCharsReplace("7");
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK_EQ(state().history.spec().batch, std::int64_t{1});
  });
}

TEST_F(DrivenWindow, SeedIsTyped) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###controls/###field_seed");
    context->Yield(2);
    context->KeyCharsReplaceEnter("1234");
    context->Yield(2);
    IM_CHECK_EQ(state().history.spec().seed, std::uint64_t{1234});
  });
}

TEST_F(DrivenWindow, DraggedSliderIsOneUndoStep) {
  drive([](ImGuiTestContext* context) {
    context->ItemDragWithDelta("//###controls/###slider_T", {60, 0});
    context->Yield(2);
    const std::int64_t dragged = state().history.spec().seq_len;
    IM_CHECK_NE(dragged, std::int64_t{128});
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    IM_CHECK_EQ(state().history.spec().seq_len, std::int64_t{128});
  });
}

TEST_F(DrivenWindow, LiveRunsEveryChange) {
  drive([](ImGuiTestContext* context) {
    context->KeyPress(ImGuiKey_L);
    IM_CHECK(state().preferences.live);
    for (const std::int64_t length : {std::int64_t{96}, std::int64_t{160}}) {
      spec::WorkloadSpec spec = small_attention();
      spec.seq_len = length;
      show(spec);
      IM_CHECK(until(context, 60, [length] {
        return session().run() != nullptr && session().run()->spec.seq_len == length &&
               session().run()->finished;
      }));
      IM_CHECK(session().run()->verdict == run::Verdict::ok);
    }
  });
}

TEST_F(DrivenWindow, EscapeCancelsInTheMiddle) {
  drive([](ImGuiTestContext* context) {
    show(long_attention());
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 60, [] {
      return session().run() != nullptr && session().run()->stage >= run::Stage::recording &&
             session().run()->spec.seq_len == 1024;
    }));
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 20, [] { return !session().busy(); }));
    IM_CHECK(session().run()->verdict == run::Verdict::cancelled);
    show(small_attention());
    IM_CHECK(run_to_end(context));
    IM_CHECK(session().run()->verdict == run::Verdict::ok);
  });
}

TEST_F(DrivenWindow, SmallBudgetEndsOutOfMemoryAndTheNextRunIsFine) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.seq_len = 2048;
    spec.memory_limit = std::int64_t{16} << 20;
    show(spec);
    IM_CHECK(run_to_end(context));
    IM_CHECK(session().run()->verdict == run::Verdict::oom);
    IM_CHECK(session().run()->memory.out_of_memory().has_value());
    IM_CHECK(!session().run()->failure.op.empty());
    show(small_attention());
    IM_CHECK(run_to_end(context));
    IM_CHECK(session().run()->verdict == run::Verdict::ok);
  });
}

TEST_F(DrivenWindow, TimelineZoomsAtTheCursorAndFitsAgain) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(4);
    context->MouseMoveToPos(middle_of(context, "//###timeline", 0.6F, 0.55F));
    context->MouseWheelY(4);
    // The view moves there: it takes its time, not a number of frames.
    const auto all_is_shown = [] {
      const base::TimeRange visible = state().view.visible;
      return visible.empty() || visible.length() >= session().run()->trace.range().length();
    };
    IM_CHECK(until(context, 20, [&] { return !all_is_shown(); }));
    context->KeyPress(ImGuiKey_F);
    IM_CHECK(until(context, 20, all_is_shown));
  });
}

TEST_F(DrivenWindow, ClickSelectsASliceAndABlock) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(4);
    IM_CHECK(click_a_slice(context));
    IM_CHECK(click_a_block(context));
  });
}

TEST_F(DrivenWindow, SlashSearches) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->MouseMoveToPos(middle_of(context, "//###timeline"));
    context->KeyPress(ImGuiKey_Slash);
    context->Yield(3);
    context->KeyChars("bmm");
    context->Yield(3);
    IM_CHECK_STR_EQ(state().view.search.c_str(), "bmm");
    context->KeyPress(ImGuiKey_Enter);
    context->KeyPress(ImGuiKey_Escape);
  });
}

TEST_F(DrivenWindow, LanguageThemeAndScaleSwitchAtRunTime) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###top_bar/###language");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###language_zh-CN");
    context->Yield(3);
    IM_CHECK(state().preferences.language == text::Language::zh_cn);
    context->ItemClick("//###top_bar/###menu_view");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###menu_light");
    context->Yield(3);
    IM_CHECK(state().preferences.theme == views::ThemeKind::light);
    for (const float scale : {0.75F, 1.5F, 3.0F}) {
      state().preferences.scale = scale;
      context->Yield(3);
    }
  });
}

TEST_F(DrivenWindow, ProjectorModeAndBack) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->KeyPress(ImGuiKey_P);
    context->Yield(4);
    IM_CHECK(state().preferences.projector);
    context->ItemClick("//###projector_controls/###field_B");
    context->Yield(2);
    context->KeyCharsReplaceEnter("2");
    context->Yield(2);
    IM_CHECK_EQ(state().history.spec().batch, std::int64_t{2});
    context->KeyPress(ImGuiKey_P);
    context->Yield(2);
    IM_CHECK(!state().preferences.projector);
  });
}

// Whatever it says: a lecture has the charts where they were.
TEST_F(DrivenWindow, TheHeadOfTheProjectorsPageIsAlwaysAsHigh) {
  drive([](ImGuiTestContext* context) {
    state().preferences.projector = true;
    context->Yield(3);
    const float before = context->GetWindowByRef("//###projector_verdict")->Size.y;
    const auto height = [&] { return context->GetWindowByRef("//###projector_verdict")->Size.y; };
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 60, [&] { return height() != before || !session().busy(); }));
    IM_CHECK_EQ(height(), before);
    spec::WorkloadSpec spec = small_attention();
    spec.backend = spec::AttentionBackend::math;
    show(spec);
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    IM_CHECK_EQ(height(), before);
    // Settings that only a card can run, and that the card cannot: settings that run are at hand.
    for (const spec::AttentionBackend backend :
         {spec::AttentionBackend::efficient, spec::AttentionBackend::flash}) {
      spec.backend = backend;
      show(spec);
      IM_CHECK(until(context, 60,
                     [&] { return context->ItemExists("//###projector_verdict/###repair_0"); }));
      IM_CHECK_EQ(height(), before);
      const ImRect button = context->ItemInfo("//###projector_verdict/###repair_0").RectFull;
      const ImGuiWindow* const head = context->GetWindowByRef("//###projector_verdict");
      IM_CHECK_LE(button.Max.y, head->Pos.y + head->Size.y);
    }
    context->ItemClick("//###projector_verdict/###repair_0");
    context->Yield(3);
    IM_CHECK(!(state().history.spec() == spec));
  });
}

TEST_F(DrivenWindow, F12SavesAPicture) {
  // Pictures of cases before this one lie in the same folder.
  std::filesystem::remove_all(saved());
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->KeyPress(ImGuiKey_F12);
    context->Yield(3);
  });
  int pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(saved())) {
    if (entry.path().extension() != ".png") continue;
    ++pictures;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string head(4, '\0');
    file.read(head.data(), 4);
    EXPECT_EQ(head, "\x89PNG");
    EXPECT_GT(std::filesystem::file_size(entry.path()), 20000U) << "more than an empty picture";
  }
  EXPECT_EQ(pictures, 1);
}

TEST_F(DrivenWindow, OperatorTableGroupsFiltersAndCopies) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->KeyPress(ImGuiKey_O);
    context->Yield(3);
    context->ItemClick("//###operators_sheet/###copy_tsv");
    context->Yield(2);
    const std::string all = ImGui::GetClipboardText();
    IM_CHECK(all.starts_with("operator\tcalls\tself ms"));
    IM_CHECK(all.find("aten::bmm") != std::string::npos);
    IM_CHECK(all.find("aten::_softmax") != std::string::npos);
    context->ItemClick("//###operators_sheet/###filter");
    context->KeyCharsReplace("BMM");
    context->Yield(2);
    context->ItemClick("//###operators_sheet/###copy_markdown");
    context->Yield(2);
    const std::string filtered = ImGui::GetClipboardText();
    IM_CHECK(filtered.find("aten::bmm") != std::string::npos);
    IM_CHECK(filtered.find("aten::_softmax") == std::string::npos);
    context->ItemClick("//###operators_sheet/###filter");
    context->KeyCharsReplace("");
    context->ItemClick("//###operators_sheet/###group/###group_3");
    context->Yield(2);
    context->ItemClick("//###operators_sheet/###copy_latex");
    context->Yield(2);
    const std::string phases = ImGui::GetClipboardText();
    IM_CHECK(phases.find("backward") != std::string::npos);
    context->ItemClick("//###operators_sheet/###group/###group_4");
    context->Yield(2);
    context->ItemClick("//###operators_sheet/###copy_tsv");
    context->Yield(2);
    const std::string stacks = ImGui::GetClipboardText();
    IM_CHECK(stacks.find("attention;aten::matmul;aten::bmm") != std::string::npos);
    context->ItemClick("//###operators_sheet/###group/###group_0");
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(2);
    IM_CHECK(!context->GetWindowByRef("//###operators_sheet")->Active);
  });
}

// The card of what was clicked comes below the verdict and is in sight whatever was scrolled to.
TEST_F(DrivenWindow, SelectionComesFirstInTheInspector) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    const ImGuiWindow* const inspector = context->GetWindowByRef("//###inspector");
    // By the wheel: ScrollToBottom fails where the panel grows or shrinks in the meantime.
    context->MouseMoveToPos(inspector->InnerClipRect.GetCenter());
    context->MouseWheelY(-100);
    IM_CHECK(until(context, 30, [&] { return inspector->Scroll.y > 0; }));
    state().view.selected_block = memory::BlockIndex{0};
    context->Yield(3);
    const ImRect tabs = context->ItemInfo("//###inspector/###selection/###tab_allocation").RectFull;
    const ImRect rest = context->ItemInfo("//###inspector/###show_agreement").RectFull;
    IM_CHECK(inspector->InnerClipRect.Contains(tabs));
    IM_CHECK_LT(tabs.Max.y, rest.Min.y);
    IM_CHECK_LT(tabs.Max.y, inspector->Pos.y + inspector->Size.y / 3);
  });
}

// The lines below the verdict stay in place when its numbers get longer.
TEST_F(DrivenWindow, VerdictKeepsItsHeight) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    const auto below = [&] {
      context->Yield(2);
      return context->ItemInfo("//###inspector/###show_agreement").RectFull.Min.y;
    };
    std::set<float> places;
    for (const char* card : {"T4", "RTX 4090", "RTX 4070 Ti SUPER"}) {
      spec::WorkloadSpec spec = small_attention();
      spec.target_gpu = card;
      show(spec);
      IM_CHECK(until(context, 30, [] { return prediction() != nullptr; }));
      places.insert(below());
    }
    IM_CHECK_EQ(places.size(), std::size_t{1});
  });
}

TEST_F(DrivenWindow, TargetIsChosenInTheTopBar) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###top_bar/###target");
    context->Yield(3);
    context->KeyChars("h200");
    context->Yield(2);
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(3);
    IM_CHECK_STR_EQ(state().history.spec().target_gpu.c_str(), "H200 SXM");
    IM_CHECK_STR_EQ(state().preferences.targets.recent.front().c_str(), "H200 SXM");
  });
}

// The arrow keys move the mark while the field keeps the keyboard.
TEST_F(DrivenWindow, EnterRightAfterAnArrowChoosesTheNextTarget) {
  drive([](ImGuiTestContext* context) {
    std::vector<std::string> cards;
    for (const spec::Gpu& card : session().gpus().gpus()) {
      if (card.name.find("4060") != std::string::npos) cards.push_back(card.name);
    }
    IM_CHECK_GE(cards.size(), std::size_t{2});
    for (const std::size_t downs : {0, 1}) {
      context->ItemClick("//###top_bar/###target");
      context->Yield(3);
      context->KeyChars("4060");
      context->Yield(2);
      for (std::size_t i = 0; i < downs; ++i) context->KeyPress(ImGuiKey_DownArrow);
      context->KeyPress(ImGuiKey_Enter);
      context->Yield(3);
      IM_CHECK_STR_EQ(state().history.spec().target_gpu.c_str(), cards[downs].c_str());
    }
  });
}

TEST_F(DrivenWindow, ShortcutSheetOpensAndCloses) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###top_bar/###menu_help");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###menu_shortcuts");
    context->Yield(2);
    IM_CHECK(context->GetWindowByRef("//###shortcuts")->Active);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(2);
    IM_CHECK(!context->GetWindowByRef("//###shortcuts")->Active);
  });
}

TEST_F(DrivenWindow, EveryWorkloadAndPresetCanBeChosen) {
  drive([](ImGuiTestContext* context) {
    const auto names = spec::field_choices(spec::Field::workload);
    for (std::size_t i = names.size(); i-- > 0;) {
      // A model from a file is offered once there is a file.
      const auto kind = static_cast<spec::WorkloadKind>(i);
      if (!spec::is_offered(kind, state().history.spec())) continue;
      context->ItemClick((std::string("//###controls/###workload/###") + names[i]).c_str());
      context->Yield(2);
      IM_CHECK_STR_EQ(to_string(state().history.spec().workload), names[i]);
      IM_CHECK(spec::validate(state().history.spec()).empty());
    }
  });
}

TEST_F(DrivenWindow, MenusFollowTheMouse) {
  drive([](ImGuiTestContext* context) {
    context->ItemClick("//###top_bar/###menu_file");
    context->Yield(2);
    IM_CHECK(context->ItemExists("//$FOCUSED/###menu_quit"));
    // Without a click.
    const ImGuiTestItemInfo view = context->ItemInfo("//###top_bar/###menu_view");
    const ImVec2 middle = view.RectFull.GetCenter();
    context->MouseMoveToPos(middle);
    context->Yield(3);
    IM_CHECK(context->ItemExists("//$FOCUSED/###menu_light"));
    IM_CHECK(!context->ItemExists("//$FOCUSED/###menu_quit"));
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(2);
    // None is open: the mouse alone opens none.
    const ImGuiTestItemInfo file = context->ItemInfo("//###top_bar/###menu_file");
    context->MouseMoveToPos(file.RectFull.GetCenter());
    context->Yield(3);
    IM_CHECK(!context->ItemExists("//$FOCUSED/###menu_quit"));
  });
}

TEST_F(DrivenWindow, ValuesAreComparedOnceTheMenuAsksForIt) {
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    IM_CHECK(run_to_end(context));
    IM_CHECK(!session().run()->values.has_value());
    context->ItemClick("//###top_bar/###menu_run");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###menu_check_values");
    context->Yield(2);
    IM_CHECK(state().preferences.check_values);
    IM_CHECK(run_to_end(context));
    IM_CHECK(session().run()->values.has_value());
    IM_CHECK_LT(session().run()->values->values, 1e-5);
    state().preferences.check_values = false;
  });
}

}  // namespace
}  // namespace ts::app::testing
