#include <imgui.h>

#include <algorithm>
#include <vector>

#include "core/files/opened_file.h"
#include "core/run/verdict.h"
#include "core/text/numbers.h"
#include "views/common/imgui_sink.h"
#include "views/inspector/file_rows.h"
#include "views/inspector/inspector_view.h"

namespace ts::views {
namespace {

// State is never colour alone: a mark of its own shape and the word beside it.
struct Mark {
  const char* icon;
  Color color;
};

Mark mark_of(const Theme& theme, const run::Run& run) {
  if (!run.finished) return {"\xef\x80\x97", theme.text2};  // clock
  switch (run.verdict) {
    case run::Verdict::ok:
      return {"\xef\x80\x8c", theme.ok};  // check
    case run::Verdict::oom:
      return {"\xef\x80\x8d", theme.bad};  // cross
    case run::Verdict::cancelled:
      return {"\xef\x81\x9e", theme.text2};  // barred circle
    case run::Verdict::failed:
      return {"\xef\x81\xb1", theme.bad};  // warning triangle
  }
  return {"", theme.text2};
}

std::string worded(const text::Texts& texts, const run::Message& message) {
  return message.key.empty() ? message.sentence : texts(message.key, message.arguments);
}

// What is shown of one verdict.
struct VerdictWords {
  Mark mark;
  std::string sentence;
  std::string remark;
  std::string exact;  // the sizes of the sentence in bytes
};

std::string exact_words(const text::Texts& texts, const run::Forecast& forecast) {
  const run::Prediction& prediction = forecast.prediction;
  std::string words = texts("inspector.exact", {{"needed", text::grouped(prediction.needed)},
                                                {"memory", text::grouped(forecast.target.memory)}});
  if (!prediction.breaking) return words;
  return words + "\n" +
         texts("inspector.exact_refused", {{"asked", text::grouped(prediction.breaking->bytes)},
                                           {"free", text::grouped(prediction.breaking->free)}});
}

// How long the prediction took.
std::string time_of(const run::Outlook& outlook) {
  return text::duration_ns(static_cast<double>(outlook.target->run.duration_ns)).joined();
}

VerdictWords words_of_prediction(const Ui& ui, const run::Outlook& outlook) {
  if (outlook.target == nullptr) {
    const std::string& card = outlook.spec.target_gpu;
    return {{"\xef\x81\xb1", ui.theme.bad},
            outlook.own == nullptr ? std::string(ui.texts("inspector.no_prediction"))
                                   : ui.texts("inspector.not_on_card", {{"card", card}}),
            outlook.problem,
            {}};
  }
  const run::Prediction& prediction = outlook.target->prediction;
  VerdictWords words;
  words.mark = {"\xef\x80\x8c", ui.theme.ok};  // check
  if (prediction.fit == run::Fit::fits_after_flush) words.mark = {"\xef\x81\xb1", ui.theme.warn};
  if (prediction.fit == run::Fit::oom) words.mark = {"\xef\x80\x8d", ui.theme.bad};
  words.sentence = worded(ui.texts, prediction.sentence);
  const run::SizeEdge* edge = outlook.edge(run::Field::T);
  if (edge != nullptr && edge->current && edge->first_too_large &&
      prediction.fit != run::Fit::oom) {
    words.sentence =
        ui.texts("inspector.sentence_and_edge",
                 {{"sentence", words.sentence}, {"value", std::to_string(*edge->first_too_large)}});
  }
  words.remark = ui.texts("inspector.predicted_in", {{"time", time_of(outlook)}});
  words.exact = exact_words(ui.texts, *outlook.target);
  return words;
}

}  // namespace

void draw_verdict(const Ui& ui, const ViewContext& context, const std::string& engine_problem) {
  Mark mark{"\xef\x81\x9a", ui.theme.text3};  // info
  std::string sentence = ui.texts("inspector.nothing_yet");
  std::string remark = ui.texts("inspector.nothing_yet_hint");
  std::string exact;
  const bool not_run = context.memory.kind == MemorySource::Kind::predicted;
  // A run that went well adds to the prediction, one that did not has its own verdict.
  const bool well = context.run != nullptr && context.run->finished &&
                    context.run->verdict == run::Verdict::ok && context.forecast != nullptr;
  if (context.file_device != nullptr) {
    const FileVerdict verdict = file_verdict(context);
    mark = {"\xef\x85\x9b", ui.theme.text2};  // file
    if (verdict.faulty) mark = {"\xef\x81\xb1", ui.theme.warn};
    if (verdict.out_of_memory) mark = {"\xef\x80\x8d", ui.theme.bad};
    sentence = verdict.sentence;
    remark = verdict.remark;
  } else if (context.outlook != nullptr &&
             (not_run || (well && context.outlook->target != nullptr))) {
    VerdictWords words = words_of_prediction(ui, *context.outlook);
    mark = words.mark;
    sentence = std::move(words.sentence);
    remark = std::move(words.remark);
    exact = std::move(words.exact);
    if (well && !not_run)
      remark = ui.texts("inspector.predicted_and_measured", {{"time", time_of(*context.outlook)}});
  } else if (context.run != nullptr) {
    mark = mark_of(ui.theme, *context.run);
    const run::VerdictText verdict = run::verdict_text(*context.run);
    sentence = worded(ui.texts, verdict.headline);
    remark = worded(ui.texts, verdict.detail);
    if (!context.run->finished) {
      remark = ui.texts(
          "inspector.percent",
          {{"percent", text::decimal(100.0 * static_cast<double>(context.run->fraction), 0)}});
      if (context.run->seconds_left >= 0) {
        remark = ui.texts(
            "inspector.percent_left",
            {{"percent", text::decimal(100.0 * static_cast<double>(context.run->fraction), 0)},
             {"seconds", text::decimal(std::max(0.0, context.run->seconds_left), 0)}});
      }
    }
  } else if (!engine_problem.empty()) {
    mark = {"\xef\x81\xb1", ui.theme.bad};
    sentence = ui.texts("inspector.no_engine");
    remark = engine_problem;
  }
  const ImVec2 at = ImGui::GetCursorPos();
  text(ui, TextStyle::body, mark.color, mark.icon);
  ImGui::SetCursorPos({at.x + ui.px(26), at.y - ui.px(5)});
  wrapped_text(ui, TextStyle::large, ui.theme.text, sentence, ui.px(16));
  tooltip(ui, exact);
  if (!remark.empty()) {
    ImGui::SetCursorPosX(at.x + ui.px(26));
    wrapped_text(ui, TextStyle::small, ui.theme.text2, remark, ui.px(16));
  }
  if (context.run != nullptr && !context.run->finished) {
    ImGui::SetCursorPosX(at.x + ui.px(26));
    const ImVec2 bar = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetWindowWidth() - at.x - ui.px(26) - ui.px(16);
    ImGui::Dummy({width, ui.px(6)});
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    sink.fill({bar.x, bar.y, bar.x + width, bar.y + ui.px(3)}, ui.theme.surface3);
    sink.fill({bar.x, bar.y, bar.x + width * std::clamp(context.run->fraction, 0.0F, 1.0F),
               bar.y + ui.px(3)},
              ui.theme.accent);
  }
}

void draw_headline_figures(const Ui& ui, const ViewContext& context) {
  if (context.run == nullptr) return;
  const run::Run& run = *context.run;
  const run::TimingSummary timing = run.timing();
  struct Figure {
    const char* key;
    text::Quantity value;
  };
  std::vector<Figure> figures;
  if (context.file_device != nullptr) {
    figures.push_back({"file.headline.peak", text::bytes(run.memory.peak_bytes())});
    figures.push_back({"file.headline.reserved", text::bytes(context.file_device->peak_reserved)});
  }
  if (timing.n > 0) {
    figures.push_back({"inspector.headline.step", text::duration_ns(timing.median_ms * 1e6)});
  }
  if (const auto tokens = run.tokens_per_s()) {
    figures.push_back({"inspector.headline.throughput", text::rate(*tokens, "tokens")});
  }
  // Before anything was allocated there is no peak to speak of.
  const bool measured = run.memory.peak_event() != memory::kNone;
  if (context.file_device == nullptr && measured)
    figures.push_back({"inspector.headline.peak", text::bytes(run.memory.peak_bytes())});
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  float x = origin.x + ui.px(42);
  const float baseline = origin.y + ui.px(2);
  const float drop = sink.text_height(TextStyle::large) - sink.text_height(TextStyle::body);
  for (const Figure& figure : figures) {
    const char* label = ui.texts(figure.key);
    sink.text({x, baseline + drop * 0.8F}, TextStyle::body, ui.theme.text2, label);
    x += sink.text_width(TextStyle::body, label) + ui.px(10);
    sink.text({x, baseline}, TextStyle::large, ui.theme.text, figure.value.value);
    x += sink.text_width(TextStyle::large, figure.value.value) + ui.px(8);
    sink.text({x, baseline + drop * 0.8F}, TextStyle::body, ui.theme.text2, figure.value.unit);
    x += sink.text_width(TextStyle::body, figure.value.unit) + ui.px(40);
  }
  ImGui::Dummy({0, sink.text_height(TextStyle::large)});
}

}  // namespace ts::views
