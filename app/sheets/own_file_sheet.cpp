#include "app/sheets/own_file_sheet.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "app/output/time_stamp.h"
#include "app/own_file/own_python.h"
#include "app/session/card_questions.h"
#include "core/text/numbers.h"
#include "views/common/imgui_sink.h"
#include "views/common/log_slider.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::app {

using views::TextStyle;
using Kind = OwnArgument::Kind;

namespace {

constexpr float kArgumentsWidth = 460;
constexpr float kLabelWidth = 90;
constexpr float kMemoryHeight = 200;

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && after == end ? std::optional(number) : std::nullopt;
}

// As far as the file says; else eight times the default, which a typed number can go beyond.
views::LogScale scale_of(const OwnArgument& argument, std::int64_t value) {
  const std::int64_t usual = argument.name == "B" ? 512 : argument.name == "T" ? 16384 : 64;
  const std::int64_t given = whole_number(argument.value).value_or(1);
  const auto low = argument.low ? static_cast<std::int64_t>(*argument.low) : 1;
  const auto high = argument.high ? static_cast<std::int64_t>(*argument.high)
                                  : std::max({usual, 8 * given, value});
  const std::int64_t least = std::max<std::int64_t>(1, low);
  return {least, std::max(least + 1, high)};
}

// The value of the argument's range that a slider's value means: the next one in that direction.
std::int64_t in_steps(const OwnArgument& argument, std::int64_t from, std::int64_t value) {
  const std::int64_t step = argument.step;
  if (step <= 1) return value;
  const auto low = static_cast<std::int64_t>(*argument.low);
  const auto high = static_cast<std::int64_t>(*argument.high);
  const std::int64_t up = value > from ? step - 1 : 0;
  return low + (std::clamp(value, low, high) - low + up) / step * step;
}

}  // namespace

void OwnFileSheet::open(const std::filesystem::path& path) {
  cancel();
  usual_ = nullptr;
  file_ = own_file_of(path.string()).value_or(OwnFile{path});
  choose_python(own_python());
  function_ = file_.function;
  asked_ = allowed_ = left_ = gave_way_ = false;
  settings_.clear();
  asked_target_.clear();
}

void OwnFileSheet::cancel() {
  if (session_ != nullptr) session_->cancel();
}

void OwnFileSheet::leave() {
  if (std::exchange(left_, true) || session_ == nullptr) return;
  if (gave_way_) {
    session_->cancel();
  } else {
    session_->close();
  }
}

OwnQuestion OwnFileSheet::question() const {
  OwnQuestion question;
  question.file = file_;
  question.settings = settings_;
  question.python = python_;
  return question;
}

void OwnFileSheet::choose_python(const std::filesystem::path& python) {
  python_ = python;
  python_words_ = python_.string();
}

// Enter asks the one that was typed what it is; one that can be used is remembered.
void OwnFileSheet::draw_python(const views::Ui& ui, const OwnSession::State& known) {
  ImGui::AlignTextToFramePadding();
  views::text(ui, TextStyle::body, ui.theme.text2, "Python");
  ImGui::SameLine(ui.px(kLabelWidth));
  ImGui::SetNextItemWidth(ui.px(440));
  const bool entered =
      ImGui::InputText("###own_python", &python_words_, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if (views::text_button(ui, "###own_examine", "own_file.examine", views::ButtonKind::plain,
                         "Enter") ||
      entered) {
    python_ = python_words_;
    ensure_session().examine(python_);
  }
  if (asked_ && !known.python.empty())
    views::text(ui, TextStyle::body, ui.theme.text3, known.python);
}

OwnSession& OwnFileSheet::ensure_session() {
  asked_ = true;
  if (session_ == nullptr) session_ = std::make_unique<OwnSession>();
  return *session_;
}

// Nothing of the file has been run, and its content has not been read.
void OwnFileSheet::draw_consent(const views::Ui& ui, const OwnSession::State& known) {
  const bool config = file_.is_config();
  views::wrapped_text(ui, TextStyle::body, ui.theme.text,
                      ui.texts(config ? "own_file.will_make" : "own_file.will_run",
                               {{"file", file_.path.string()}, {"python", python_.string()}}));
  ImGui::Dummy({0, ui.px(8)});
  if (!config) {
    ImGui::AlignTextToFramePadding();
    views::text(ui, TextStyle::body, ui.theme.text2, ui.texts("own_file.function"));
    ImGui::SameLine(ui.px(kLabelWidth));
    ImGui::SetNextItemWidth(ui.px(200));
    ImGui::InputText("###own_function", &function_);
  }
  draw_python(ui, known);
  ImGui::Dummy({0, ui.px(8)});
  const std::string words =
      config ? ui.texts("own_file.make") : ui.texts("own_file.allow", {{"function", function_}});
  if (views::button(ui, "###own_allow", "", words, "", views::ButtonKind::primary) &&
      !function_.empty()) {
    file_.function = function_;
    python_ = python_words_;
    allowed_ = true;
    ensure_session().describe(question());
  }
}

std::string OwnFileSheet::value_of(const OwnArgument& argument) const {
  const auto found = settings_.find(argument.name);
  return found == settings_.end() ? argument.value : found->second;
}

void OwnFileSheet::set(const OwnArgument& argument, const std::string& value) {
  if (value == argument.value) {
    settings_.erase(argument.name);
  } else {
    settings_[argument.name] = value;
  }
}

void OwnFileSheet::draw_number(const views::Ui& ui, const OwnArgument& argument, float width) {
  const std::string value = value_of(argument);
  const auto number = whole_number(value);
  views::SliderEdit edit;
  if (argument.kind == Kind::whole && number && *number > 0) {
    const views::SliderSettings look{.label = argument.name, .value = *number, .label_width = 130};
    edit = views::log_slider(ui, argument.name, look, scale_of(argument, *number), width);
  } else {
    edit = views::number_row(ui, argument.name, argument.name, value, width);
  }
  if (edit.value)
    set(argument, std::to_string(in_steps(argument, number.value_or(0), *edit.value)));
  if (edit.typed) set(argument, *edit.typed);
}

void OwnFileSheet::draw_argument(const views::Ui& ui, const OwnArgument& argument, float width) {
  const std::string id = "###own_" + argument.name;
  if (argument.kind == Kind::truth) {
    bool on = value_of(argument) == "true";
    if (views::toggle(ui, id.c_str(), argument.name, on, width))
      set(argument, on ? "true" : "false");
  } else if (argument.kind == Kind::choice) {
    views::select(ui, id.c_str(), argument.name, value_of(argument), width, [&] {
      for (const std::string& choice : argument.choices) {
        if (!views::list_row(ui, ("###" + choice).c_str(), choice, "",
                             choice == value_of(argument)))
          continue;
        set(argument, choice);
        return true;
      }
      return false;
    });
  } else {
    draw_number(ui, argument, width);
  }
}

void OwnFileSheet::draw_arguments(const views::Ui& ui, const OwnDescription& described,
                                  float width) {
  if (!described.about.empty())
    views::wrapped_text(ui, TextStyle::body, ui.theme.text2, described.about);
  views::section(ui, ui.texts("own_file.arguments"), "torch " + described.torch);
  for (const OwnArgument& argument : described.arguments) draw_argument(ui, argument, width);
}

bool OwnFileSheet::is_current(const OwnSession::Forecast& forecast) const {
  return forecast.question.settings == settings_ && forecast.of.target.name == asked_target_;
}

// Those that hold the most at the peak.
void OwnFileSheet::draw_lines(const views::Ui& ui, const std::vector<OwnLine>& lines) {
  if (lines.empty()) return;
  ImGui::Dummy({0, ui.px(10)});
  views::section(ui, ui.texts("own_file.lines"));
  for (const OwnLine& one : std::span(lines).first(std::min(kLinesShown, lines.size()))) {
    const std::string name = one.line.empty() ? ui.texts("own_file.no_line") : one.line;
    views::value_row(ui, name, text::bytes(one.bytes), ui.px(28));
  }
}

// The memory over the steps; with other arguments than the file's, over that with the file's.
void OwnFileSheet::draw_memory(const views::Ui& ui,
                               const std::shared_ptr<const OwnSession::Forecast>& forecast) {
  if (forecast->question.settings.empty() && is_current(*forecast)) usual_ = forecast;
  const bool compares =
      usual_ != nullptr && usual_ != forecast && usual_->of.target.name == forecast->of.target.name;
  const auto side = [&](const std::shared_ptr<const OwnSession::Forecast>& of) {
    std::string name;
    for (const auto& [argument, value] : of->question.settings)
      name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", argument, value);
    if (name.empty()) name = ui.texts("own_file.as_in_file");
    return views::MemoryOverlay::Side{std::move(name), &of->of.run.log, of};
  };
  std::array<views::MemoryOverlay::Side, 2> sides;
  if (compares) {
    sides = {side(usual_), side(forecast)};
  } else {
    sides[0] = side(forecast);
  }
  ImGui::Dummy({0, ui.px(8)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, ui.px(kMemoryHeight));
  ImGui::InvisibleButton("###own_memory", size);
  views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  views::draw_memory_overlay(sink, {at.x, at.y, at.x + size.x, at.y + size.y},
                             {.sides = std::move(sides),
                              .texts = ui.texts,
                              .theme = ui.theme,
                              .metrics = ui.metrics,
                              .curves = &curves_});
}

void OwnFileSheet::draw_forecast(const views::Ui& ui, const OwnSession::State& known) {
  views::section(ui, ui.texts("own_file.prediction"));
  if (!known.problem.empty()) {
    views::wrapped_text(ui, TextStyle::body, ui.theme.warn,
                        views::message_text(ui.texts, known.problem));
  }
  const bool pending = session_->work() == OwnSession::Work::predict;
  if (pending) views::text(ui, TextStyle::body, ui.theme.text3, ui.texts("own_file.pending"));
  if (known.forecast == nullptr) return;
  const OwnSession::Forecast& forecast = *known.forecast;
  const bool current = is_current(forecast);
  if (!current && !pending) return;
  const views::Color color = current ? ui.theme.text : ui.theme.text3;
  views::wrapped_text(ui, TextStyle::body_strong, color,
                      views::message_text(ui.texts, forecast.of.prediction.sentence));
  for (const base::Message* said : {&forecast.on_cpu, &forecast.compiled}) {
    if (said->empty()) continue;
    views::wrapped_text(ui, TextStyle::small, ui.theme.warn, views::message_text(ui.texts, *said));
  }
  draw_memory(ui, known.forecast);
}

void OwnFileSheet::draw_buttons(const views::Ui& ui, const OwnSession::State& known,
                                const WorkspaceState& state) {
  ImGui::Dummy({0, ui.px(10)});
  if (session_->lasts()) {
    if (views::text_button(ui, "###own_cancel", "advice.cancel", views::ButtonKind::plain, "Esc"))
      cancel();
    ImGui::SameLine();
    const OwnSession::Work work = session_->work();
    if (work == OwnSession::Work::run || work == OwnSession::Work::write) {
      const bool runs = work == OwnSession::Work::run;
      views::text(ui, TextStyle::body, ui.theme.text2,
                  ui.texts(runs ? "own_file.running" : "own_file.exporting"));
    }
    return;
  }
  const std::string stem = file_.path.stem().string();
  if (views::text_button(ui, "###own_run", "own_file.run", views::ButtonKind::primary))
    session_->record(question(), new_path(state.save_folder(), "own-" + stem, ".recording"));
  ImGui::SameLine();
  if (known.forecast == nullptr || !is_current(*known.forecast)) {
    if (views::text_button(ui, "###own_predict", "own_file.predict", views::ButtonKind::plain))
      asked_target_.clear();
  } else if (views::text_button(ui, "###own_show", "own_file.show", views::ButtonKind::plain)) {
    session_->show(known.forecast, new_path(state.save_folder(), "predicted-" + stem, ".pickle"));
  }
  if (views::text_button(ui, "###own_export", "own_file.export", views::ButtonKind::plain))
    session_->write_model(question(), new_path(state.save_folder(), "own-" + stem, ".pt2"));
  views::wrapped_text(ui, TextStyle::small, ui.theme.text3, ui.texts("own_file.pages"));
}

// Once for every combination; a run that goes on is not disturbed.
void OwnFileSheet::ask_for(const predict::PredictionTarget& target) {
  const OwnSession::Work work = session_->work();
  if (work != OwnSession::Work::none && work != OwnSession::Work::predict) return;
  if (asked_target_ == target.name && asked_settings_ == settings_) return;
  asked_target_ = target.name;
  asked_settings_ = settings_;
  session_->predict(question(), target);
}

std::optional<std::filesystem::path> OwnFileSheet::written() {
  auto file = session_->take_file();
  gave_way_ = file.has_value();
  return file;
}

std::optional<std::filesystem::path> OwnFileSheet::draw(const views::Ui& ui, Session& session,
                                                        const WorkspaceState& state,
                                                        const views::ControlsContext& controls) {
  views::text(ui, TextStyle::body_strong, ui.theme.text,
              file_.path.filename().string() + ":" + file_.function);
  ImGui::Dummy({0, ui.px(6)});
  const OwnSession::State known = session_ != nullptr ? session_->state() : OwnSession::State();
  const float width = std::min(ui.px(kArgumentsWidth), ImGui::GetContentRegionAvail().x);
  if (!allowed_ || known.description == nullptr) {
    if (asked_ && !known.problem.empty()) {
      views::wrapped_text(ui, TextStyle::body, ui.theme.warn,
                          views::message_text(ui.texts, known.problem));
      ImGui::Dummy({0, ui.px(8)});
    }
    if (asked_ && busy()) {
      const bool examines = session_->work() == OwnSession::Work::examine;
      views::text(ui, TextStyle::body, ui.theme.text3,
                  ui.texts(examines ? "own_file.examining" : "own_file.reading"));
      if (views::text_button(ui, "###own_cancel", "advice.cancel", views::ButtonKind::plain,
                             "Esc")) {
        cancel();
      }
    } else {
      draw_consent(ui, known);  // anew: the file may have been changed
    }
    return session_ != nullptr ? written() : std::nullopt;
  }
  ImGui::BeginChild("###own_left", {width, 0}, ImGuiChildFlags_AutoResizeY);
  draw_arguments(ui, *known.description, width);
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(28));
  ImGui::BeginChild("###own_right", {0, 0}, ImGuiChildFlags_AutoResizeY);
  views::section(ui, ui.texts("own_file.card"));
  views::draw_target_select(controls, width);
  ask_for(target_of_spec(state.history.spec(), false, session.gpus()));
  draw_forecast(ui, known);
  draw_buttons(ui, known, state);
  if (known.forecast != nullptr && is_current(*known.forecast))
    draw_lines(ui, known.forecast->lines);
  ImGui::EndChild();
  return written();
}

}  // namespace ts::app
