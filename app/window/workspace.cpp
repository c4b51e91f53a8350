#include "app/window/workspace.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <optional>
#include <string>
#include <utility>

#include "app/output/sweep_files.h"
#include "app/own_file/own_file.h"
#include "app/session/catalogue.h"
#include "app/session/file_list.h"
#include "app/window/desktop.h"
#include "app/window/palette_entries.h"
#include "app/window/projector_scale.h"
#include "app/window/warning_bars.h"
#include "core/io/file.h"
#include "core/spec/model_config.h"
#include "core/spec/own_model.h"
#include "core/text/message.h"

namespace ts::app {

Workspace::Workspace(Session& session, WorkspaceState& state, const text::Texts& texts,
                     const views::Fonts::Faces& faces)
    : session_(&session),
      state_(&state),
      texts_(&texts),
      faces_(&faces),
      notices_(texts),
      contexts_(session, state, texts, faces),
      runs_(session, state, notices_),
      frame_(state, contexts_, action_row(Action::settings).keys),
      pages_(services()),
      sessions_(services(), pages_),
      presenter_(services(), pages_),
      actions_(services(), pages_, presenter_, sheets_, palette_),
      top_bar_(services(), pages_, actions_),
      status_bar_(services(), pages_, actions_) {}

PageServices Workspace::services() {
  return {.session = *session_,
          .state = *state_,
          .texts = *texts_,
          .notices = notices_,
          .contexts = contexts_,
          .runs = runs_,
          .frame = frame_};
}

bool Workspace::animated() const {
  return session_->busy() || models_.busy() || sessions_.busy() || session_->files().loading() ||
         session_->files().growing() || !state_->sweeps->idle() || state_->lessons->running() ||
         state_->sweeps->opening() || session_->predictions().busy() ||
         session_->predictions().hunt_busy() || runs_.live_pending() ||
         state_->hunts->confirming() || sheets_.animated() || notices_.animated();
}

void Workspace::open_files(const std::vector<std::filesystem::path>& paths) {
  for (const std::filesystem::path& path : paths) {
    open_file(io::absolute_path(path).value_or(path));
  }
}

// The file on screen stays there.
void Workspace::compare_with(const std::vector<std::filesystem::path>& paths) {
  OpenedFiles& files = session_->files();
  const std::optional<std::size_t> shown = files.current_index();
  if (paths.empty() || !shown) return;
  open_files({paths.front()});
  const OpenedFiles::Entry* const other = files.current();
  const std::filesystem::path path = other != nullptr ? other->path : std::filesystem::path();
  files.choose(shown);
  if (!path.empty()) pages_.run.compare_with(path);
}

void Workspace::open_file(const std::filesystem::path& path) {
  std::vector<std::string>& recent = state_->preferences.recent_files;
  // Nothing to show: no tab, and no place among the recent files.
  const FileKind kind = listed(path).kind;
  if (kind == FileKind::missing) {
    forget_file(recent, path);
    notices_.add(text::message("file.missing", {{"path", path.string()}}));
    return;
  }
  if (kind == FileKind::model) {
    models_.open(path);
    return;
  }
  if (own_file_of(path.string())) {
    remember_file(recent, path);
    sheets_.open_own_file(path);
    return;
  }
  if (kind == FileKind::session) {
    remember_file(recent, path);
    sessions_.open(path);
    return;
  }
  if (kind == FileKind::json && spec::is_model_config(path)) {
    choose_model(path);
    return;
  }
  const auto lesson = state_->lessons->open_file(*session_, path);
  if (!lesson) {
    notices_.add(lesson.error());
    return;
  }
  remember_file(recent, path);
  if (*lesson) {
    state_->page = Page::lessons;
  } else if (is_sweep(path)) {
    pages_.sweep.open(path);
  } else {
    session_->files().open(path);
    state_->page = Page::run;
  }
}

void Workspace::take_model() {
  const auto read = models_.take();
  if (!read) return;
  if (*read) {
    choose_model(**read);
  } else {
    notices_.add(read->error());
  }
}

// Settings that the file does not decide stay as they were.
void Workspace::choose_model(const std::filesystem::path& path) {
  spec::WorkloadSpec spec = state_->history.spec();
  if (const auto chosen = spec::choose_model(path.string(), spec); !chosen) {
    notices_.add(chosen.error());
    return;
  }
  if (const base::Message lacks = spec::lacks_numbers(spec); !lacks.empty()) notices_.add(lacks);
  if (const base::Message held = spec::holds_dimensions(spec); !held.empty()) notices_.add(held);
  remember_file(state_->preferences.recent_files, path);
  state_->history.set(spec);
  session_->files().choose(std::nullopt);
  state_->page = Page::run;
}

views::DemoShown Workspace::demo_shown() const {
  const std::size_t demo = state_->demo->number;
  return {.demo = built_in_demos()[demo],
          .number = demo + 1,
          .count = built_in_demos().size(),
          .stage = state_->demo->stage,
          .why_not = presenter_.why_not(demo),
          .next_key = action_row(Action::demo_next).keys,
          .leave_key = action_row(Action::stop).keys};
}

void Workspace::take(const views::DemoRequests& asked) {
  if (asked.next) presenter_.next();
  if (asked.leave) presenter_.leave();
}

void Workspace::draw_demo_strip(const views::Ui& ui) {
  ImGuiViewport* const viewport = ImGui::GetMainViewport();
  const views::DemoShown shown = demo_shown();
  views::DemoRequests asked;
  const float height = views::demo_strip_height(ui, shown, viewport->Size.x);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.surface2);
  if (ImGui::BeginViewportSideBar("###demo_strip", viewport, ImGuiDir_Up, height, kStripFlags))
    asked = views::draw_demo_strip(ui, shown);
  ImGui::End();
  ImGui::PopStyleColor();
  take(asked);
}

void Workspace::draw_demo_question(const views::Ui& ui) {
  views::DemoRequests asked;
  draw_window(ui, {.id = "###demo_question"}, whole_page(),
              [&] { asked = views::draw_demo_question(ui, demo_shown()); });
  take(asked);
}

void Workspace::draw_page(const views::Ui& ui, bool interactive, Requests& requests) {
  if (presenter_.blank) {
    const ImGuiViewport* const viewport = ImGui::GetMainViewport();
    draw_window(ui, {.id = "###blank"}, {viewport->Pos, viewport->Size}, [] {});
    return;
  }
  if (state_->page == Page::kernels) {
    const ImGuiViewport* const viewport = ImGui::GetMainViewport();
    if (state_->stages != nullptr) sheets_.kernels().choose(views::OwnKernelsView::processor);
    draw_window(ui, {.id = "###kernels_page", .padding = rows_padding(ui)},
                {viewport->Pos, viewport->Size},
                [&] { sheets_.draw_kernels(ui, *session_, *state_, contexts_.controls(ui)); });
    return;
  }
  if (is_panel(state_->page)) {
    pages_.run.draw_panel(ui, state_->page);
    return;
  }
  top_bar_.draw(ui, requests);
  draw_restart_bar(ui, session_->run(), requests);
  if (interactive) draw_limit_bar(ui, *state_);
  if (state_->page == Page::run) pages_.run.draw_file_tabs(ui);
  const bool asks = state_->demo && state_->demo->stage == views::DemoStage::question;
  if (state_->demo && !asks) draw_demo_strip(ui);
  // Not in pictures: the frame rate would differ from one to the next.
  status_bar_.draw(ui, interactive);
  asks ? draw_demo_question(ui) : pages_.current().draw(ui, requests);
}

void Workspace::draw_sheets(const views::Ui& ui, Requests& requests) {
  for (PageView* const page : pages_.all()) page->draw_sheets(ui);
  sheets_.draw(ui, *session_, *state_, contexts_.controls(ui), requests, [this] {
    std::vector<WindowSheets::Shortcut> shortcuts;
    const std::size_t demos = built_in_demos().size();
    shortcuts.push_back(
        {WindowActions::keys_of_demo(0) + " \xe2\x80\xa6 " + WindowActions::keys_of_demo(demos - 1),
         "shortcut.demos"});
    for (const ActionRow& row : action_rows()) {
      if (*row.keys != '\0') shortcuts.push_back({actions_.keys_of(row), row.what});
    }
    return shortcuts;
  });
  const auto chosen = sheets_.draw_open(ui, state_->preferences);
  if (sheets_.open_for() == OpenFor::compare) {
    compare_with(chosen);
  } else {
    open_files(chosen);
  }
  palette_.draw(ui, [&](std::string_view typed) {
    return palette_entries(ui, typed, services(), actions_, requests);
  });
  const auto shown = notices_.draw_toasts(ui);
  if (shown) notices_.add_error(show_in_desktop(*shown));
}

Requests Workspace::draw(bool interactive) {
  Requests requests;
  contexts_.begin_frame(!interactive);
  frame_.begin_frame();
  const views::Theme& theme = theme_of(state_->preferences);
  const float chosen = state_->preferences.scale;
  const float scale =
      frame_.projector() ? projector_scale(chosen, ImGui::GetIO().DisplaySize.y) : chosen;
  views::apply_style(theme, {scale});
  const views::Ui ui{theme, {scale}, *faces_, *texts_};
  if (interactive) {
    for (PageView* const page : pages_.all()) page->update();
    take_model();
    sessions_.update();
    actions_.take_keys(requests);
    runs_.keep_result();
    runs_.follow_live();
  }
  draw_page(ui, interactive, requests);
  if (interactive) {
    if (std::exchange(drawn_page_, state_->page) != state_->page) notices_.page_changed();
    draw_sheets(ui, requests);
    actions_.keep_keys();
  }
  return requests;
}

}  // namespace ts::app
