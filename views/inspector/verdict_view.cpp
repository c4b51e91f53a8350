#include <imgui.h>

#include <algorithm>
#include <string_view>

#include "core/files/opened_file.h"
#include "core/report/run_estimate.h"
#include "core/report/verdict.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/wrapping.h"
#include "views/inspector/file_rows.h"
#include "views/inspector/inspector_view.h"
#include "views/inspector/trace_rows.h"

namespace ts::views {
namespace {

using Mark = ShownVerdict::Mark;

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

std::string exact_text(const text::Texts& texts, const predict::Forecast& forecast) {
  const predict::Prediction& prediction = forecast.prediction;
  std::string words = message_text(texts, prediction.sentence) + "\n" +
                      texts("inspector.exact", {{"needed", text::grouped(prediction.needed)},
                                                {"memory", text::grouped(forecast.target.memory)}});
  if (!prediction.breaking) return words;
  return words + "\n" +
         texts("inspector.exact_refused", {{"asked", text::grouped(prediction.breaking->bytes)},
                                           {"free", text::grouped(prediction.breaking->free)}});
}

constexpr std::string_view kPrediction = "prediction.";

// The sentence of a prediction with its one number, as large text has room for.
std::string short_text(const text::Texts& texts, const base::Message& sentence) {
  base::Message brief = sentence;
  if (brief.key.starts_with(kPrediction))
    brief.key = "prediction.short." + brief.key.substr(kPrediction.size());
  return message_text(texts, brief);
}

// The request that is refused first. Empty if all are served.
std::string refused_text(const text::Texts& texts, const predict::Prediction& prediction) {
  if (!prediction.breaking) return {};
  base::Message refused = prediction.sentence;
  refused.key = prediction.breaking->module.empty() ? "prediction.first_refused"
                                                    : "prediction.first_refused_module";
  return message_text(texts, refused);
}

// The time that the prediction took.
std::string time_of(const predict::Outlook& outlook) {
  return text::duration_ns(static_cast<double>(outlook.target->run.duration_ns)).joined();
}

// "43 %, 3 s left".
std::string percent_text(const text::Texts& texts, const run::Run& run) {
  const std::string percent = text::decimal(100.0 * static_cast<double>(run.fraction), 0);
  if (run.seconds_left < 0) {
    const auto estimate =
        run.roof ? report::estimate_run(run.spec, run.protocol, *run.roof) : std::nullopt;
    if (!estimate || !estimate->is_long())
      return texts("inspector.percent", {{"percent", percent}});
    return texts(
        "inspector.percent_estimated",
        {{"percent", percent}, {"time", message_text(texts, report::time_text(*estimate))}});
  }
  return texts(
      "inspector.percent_left",
      {{"percent", percent}, {"seconds", text::decimal(std::max(0.0, run.seconds_left), 0)}});
}

// "Recording: 43 %, 3 s left".
std::string progress_text(const text::Texts& texts, const run::Run& run) {
  return texts("inspector.stage_and_percent",
               {{"stage", message_text(texts, report::verdict_text(run).headline)},
                {"percent", percent_text(texts, run)}});
}

ShownVerdict text_of_prediction(const ViewContext& context, const predict::Outlook& outlook) {
  const Theme& theme = context.theme;
  const text::Texts& texts = context.texts;
  if (outlook.target == nullptr) {
    const std::string& card = outlook.spec.target_gpu;
    const bool nowhere = !outlook.not_here.sentence.empty();
    const bool unknown = outlook.complete && outlook.own == nullptr;
    return {.mark = {"\xef\x81\xb1", theme.bad},
            .sentence = nowhere   ? std::string(texts("obstacle.nowhere"))
                        : unknown ? std::string(texts("inspector.no_prediction"))
                                  : texts("inspector.not_on_card", {{"card", card}}),
            .remark = message_text(texts, outlook.problem),
            .reason = true};
  }
  const predict::Prediction& prediction = outlook.target->prediction;
  ShownVerdict words;
  words.mark = {"\xef\x80\x8c", theme.ok};  // check
  if (prediction.fit == predict::Fit::fits_after_flush) words.mark = {"\xef\x81\xb1", theme.warn};
  if (prediction.fit == predict::Fit::oom) words.mark = {"\xef\x80\x8d", theme.bad};
  words.sentence = short_text(texts, prediction.sentence);
  const predict::SizeEdge* edge = outlook.edge(spec::Field::T);
  if (edge == nullptr || !edge->current) edge = nullptr;
  // An edge in T: that of a hunt, or between two of the slider until that is known. Larger ones may
  // fit again, so nothing is said of them before they were asked (see search_above() in hunt.h).
  const auto add = [&](const char* key, std::int64_t value, std::int64_t next) {
    words.edge = texts(key, {{"value", text::grouped(value)}, {"next", text::grouped(next)}});
  };
  if (edge != nullptr && edge->exact && edge->exact->largest()) {
    const std::int64_t largest = *edge->exact->largest();
    if (edge->exact->again.empty()) {
      add(edge->exact->largest_needs_flush() ? "inspector.edge_flush" : "inspector.edge_exact",
          largest, largest + 1);
    } else {
      add("inspector.edge_gaps", largest, *edge->exact->fits);
    }
  } else if (edge != nullptr && edge->last_that_fits && edge->first_too_large) {
    add("inspector.edge_on_slider", *edge->last_that_fits, *edge->first_too_large);
  }
  words.remark = texts("inspector.predicted_in", {{"time", time_of(outlook)}});
  if (const std::string refused = refused_text(texts, prediction); !refused.empty())
    words.remark = refused + "\n" + words.remark;
  words.exact = exact_text(texts, *outlook.target);
  return words;
}

}  // namespace

float verdict_height(float scale) {
  return 4 * text_pixels(TextStyle::large, scale) + 3 * line_gap(TextStyle::large, scale) +
         2 * text_pixels(TextStyle::small, scale) + line_gap(TextStyle::small, scale) + 8 * scale;
}

PlacedVerdict place_verdict(const DrawSink& sink, const text::Texts& texts,
                            const ShownVerdict& words, float width, std::size_t most) {
  const auto lines_of = [&](const std::string& sentence) {
    return wrapped(sink, TextStyle::large, sentence, width);
  };
  PlacedVerdict placed;
  placed.remark = words.remark;
  std::string sentence = words.sentence;
  if (!words.edge.empty()) {
    sentence =
        texts("inspector.sentence_and_edge", {{"sentence", words.sentence}, {"edge", words.edge}});
    if (lines_of(sentence).size() > most) {
      sentence = words.sentence;
      placed.remark = words.edge + (words.remark.empty() ? "" : "\n" + words.remark);
    }
  }
  placed.cut = lines_of(sentence).size() > most;
  placed.lines = wrapped_fitted(sink, TextStyle::large, sentence, width, most);
  return placed;
}

ShownVerdict verdict_text(const ViewContext& context, const base::Message& engine_problem) {
  const Theme& theme = context.theme;
  const text::Texts& texts = context.texts;
  const run::Run* const run = context.run;
  const bool not_run =
      context.memory.kind == MemorySource::Kind::predicted && !ended_before_memory(context);
  const bool goes_on = run != nullptr && !run->finished;
  // A successful run adds to the prediction; any other run has its own verdict.
  const bool well = run != nullptr && run->finished && run->verdict == run::Verdict::ok &&
                    context.forecast != nullptr;
  if (context.file_device != nullptr || context.trace != nullptr) {
    const FileVerdict verdict =
        context.trace != nullptr ? trace_verdict(context) : file_verdict(context);
    ShownVerdict words;
    words.mark = {"\xef\x85\x9b", theme.text2};  // file
    if (verdict.faulty) words.mark = {"\xef\x81\xb1", theme.warn};
    if (verdict.out_of_memory) words.mark = {"\xef\x80\x8d", theme.bad};
    words.sentence = verdict.sentence;
    words.remark = verdict.remark;
    return words;
  }
  // A statement about the card: its memory need, or why it cannot run the settings.
  const auto about_card = [](const predict::Outlook& outlook) {
    return outlook.target != nullptr || !outlook.problem.sentence.empty();
  };
  // While a run is in progress, the verdict stays that of the prediction, which has the same
  // settings. A verdict about a card is always the card's prediction. A run here adds its own
  // result.
  const bool ended = run != nullptr && run->finished;
  const bool predicted = context.outlook != nullptr &&
                         (not_run || ((ended || goes_on) && about_card(*context.outlook)));
  if (predicted) {
    ShownVerdict words = text_of_prediction(context, *context.outlook);
    if (goes_on) {
      words.remark = progress_text(texts, *run);
      words.reason = false;
    } else if (well && !not_run && context.cut_short != nullptr) {
      words.remark = cut_short_text(context);
    } else if (well && !not_run && context.outlook->target != nullptr) {
      words.remark =
          texts("inspector.predicted_and_measured", {{"time", time_of(*context.outlook)}});
    } else if (ended && !not_run) {
      const report::VerdictText verdict = report::verdict_text(*run);
      const std::string headline = message_text(texts, verdict.headline);
      const std::string detail = message_text(texts, verdict.detail);
      const std::string said =
          detail.empty() ? headline
                         : texts("common.two_sentences", {{"first", headline}, {"second", detail}});
      // Some verdicts only say that the step ran here.
      const bool says_where = verdict.headline.key == "verdict.ran_here";
      const std::string ran_here =
          says_where ? said : texts("inspector.ran_here", {{"verdict", said}});
      // The reason why the card cannot run it stays. The time of a prediction is replaced.
      words.remark = context.outlook->target == nullptr ? words.remark + "\n" + ran_here : ran_here;
      words.reason = true;
    }
    return words;
  }
  if (run != nullptr) {
    const report::VerdictText verdict = report::verdict_text(*run);
    ShownVerdict words;
    words.mark = mark_of(theme, *run);
    words.sentence = message_text(texts, verdict.headline);
    words.remark = goes_on ? percent_text(texts, *run) : message_text(texts, verdict.detail);
    return words;
  }
  if (!engine_problem.empty()) {
    return {.mark = {"\xef\x81\xb1", theme.bad},
            .sentence = texts("inspector.no_engine"),
            .remark = message_text(texts, engine_problem)};
  }
  return {.mark = {"\xef\x81\x9a", theme.text3},  // info
          .sentence = texts("inspector.nothing_yet"),
          .remark = texts("inspector.nothing_yet_hint"),
          .exact = {},
          .reason = false};
}

void draw_verdict(const Ui& ui, const ViewContext& context, const base::Message& engine_problem) {
  const ShownVerdict words = verdict_text(context, engine_problem);
  const float scale = ui.metrics.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = verdict_height(scale);
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ui.px(16);
  const Rect place{at.x + ui.px(26), at.y - ui.px(3), right, at.y + height};
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, scale);
  sink.text(Point{at.x, at.y}, TextStyle::body, words.mark.color, words.mark.icon);
  const auto spaced = [scale](TextStyle style) {
    return text_pixels(style, scale) + line_gap(style, scale);
  };
  const PlacedVerdict placed = place_verdict(sink, ui.texts, words, place.width(), 4);
  float y = place.y0;
  for (const std::string& line : placed.lines) {
    sink.text({place.x0, y}, TextStyle::large, ui.theme.text, line);
    y += spaced(TextStyle::large);
  }
  const TextStyle style = words.reason ? TextStyle::body : TextStyle::small;
  const float room = place.y1 - y + line_gap(style, scale);
  const auto most = static_cast<std::size_t>(std::max(1.0F, room / spaced(style)));
  const auto remark = wrapped_fitted(sink, style, placed.remark, place.width(), most);
  const bool whole =
      !placed.cut && wrapped(sink, style, placed.remark, place.width()).size() <= most;
  for (const std::string& line : remark) {
    sink.text({place.x0, y}, style, words.reason ? ui.theme.text : ui.theme.text2, line);
    y += spaced(style);
  }
  ImGui::Dummy({right - at.x, height});
  const std::string all = whole ? "" : words.sentence + "\n" + placed.remark;
  tooltip(ui, all + (all.empty() || words.exact.empty() ? "" : "\n") + words.exact);
  if (context.run != nullptr && !context.run->finished && context.trace == nullptr) {
    const float top = place.y1;
    sink.fill({place.x0, top, place.x1, top + ui.px(3)}, ui.theme.surface3);
    sink.fill(
        {place.x0, top, place.x0 + place.width() * std::clamp(context.run->fraction, 0.0F, 1.0F),
         top + ui.px(3)},
        ui.theme.accent);
  }
}

}  // namespace ts::views
