#include "core/run/verdict.h"

#include "core/text/numbers.h"

namespace ts::run {

namespace {

Message verdict_words(std::string_view key, std::string_view english,
                      std::vector<text::Argument> arguments = {}) {
  std::string sentence = text::fill(english, arguments);
  return {std::move(sentence), std::string("verdict.") + std::string(key), std::move(arguments)};
}

bool limited_by_card(const Run& run) {
  return !run.spec.target_gpu.empty() && run.limit_source == run.spec.target_gpu;
}

Message fits(const Run& run) {
  const std::int64_t peak = run.memory.peak_bytes();
  if (peak <= 0 || run.limit <= 0) return verdict_words("finished", "Finished");
  // A run held back only by this machine's RAM still says whether its peak is less than the card
  // has.
  const bool card_counts = run.spec.memory_limit == 0 && run.target_capacity > 0;
  if (limited_by_card(run) || (card_counts && peak <= run.target_capacity)) {
    const std::int64_t capacity = card_counts ? run.target_capacity : run.limit;
    // Whether it fits there is for the prediction to say: the CPU has no context, and gives out no
    // segments.
    if (run.spec.device == DeviceKind::cpu) {
      return verdict_words("within_card", "Peak of {peak}, within the {capacity} of {card}",
                           {{"peak", text::bytes(peak).joined()},
                            {"capacity", text::bytes(capacity).joined()},
                            {"card", run.spec.target_gpu}});
    }
    return verdict_words(
        "fits_card", "Fits on {card} with {spare} to spare",
        {{"card", run.spec.target_gpu}, {"spare", text::bytes(capacity - peak).joined()}});
  }
  const std::string spare = text::bytes(run.limit - peak).joined();
  return verdict_words("fits_limit", "Fits in {limit} with {spare} to spare",
                       {{"limit", text::bytes(run.limit).joined()}, {"spare", spare}});
}

Message does_not_fit(const Run& run) {
  if (limited_by_card(run)) {
    return verdict_words("oom_card", "Does not fit on {card}", {{"card", run.spec.target_gpu}});
  }
  return verdict_words("oom_limit", "Does not fit in {limit}",
                       {{"limit", text::bytes(run.limit).joined()}});
}

Message refused(const Failure& failure) {
  if (failure.bytes_asked <= 0) return {failure.sentence, {}, {}};
  std::vector<text::Argument> arguments = {{"asked", text::bytes(failure.bytes_asked).joined()},
                                           {"free", text::bytes(failure.bytes_free).joined()}};
  if (failure.op.empty()) {
    return verdict_words("refused", "{asked} asked, {free} free", std::move(arguments));
  }
  arguments.push_back({"op", failure.op});
  if (failure.module.empty()) {
    return verdict_words("refused_op", "{op} needs {asked}, {free} free", std::move(arguments));
  }
  arguments.push_back({"module", failure.module});
  return verdict_words("refused_op_module", "{op} in {module} needs {asked}, {free} free",
                       std::move(arguments));
}

Message going_on(Stage stage) {
  switch (stage) {
    case Stage::waiting:
      return verdict_words("waiting", "Waiting");
    case Stage::loading_engine:
      return verdict_words("loading_engine", "Loading LibTorch");
    case Stage::compiling:
      return verdict_words("compiling", "Compiling the step with Inductor: a minute or two, once");
    case Stage::preparing:
      return verdict_words("preparing", "Preparing");
    case Stage::recording:
      return verdict_words("recording", "Recording");
    case Stage::warmup:
      return verdict_words("warmup", "Warming up");
    case Stage::timing:
      return verdict_words("timing", "Timing");
    case Stage::roof:
      return verdict_words("roof", "Measuring what this device reaches");
    case Stage::done:
      break;
  }
  return verdict_words("finished", "Finished");
}

}  // namespace

VerdictText verdict_text(const Run& run) {
  if (!run.finished) return {going_on(run.stage), {}};
  switch (run.verdict) {
    case Verdict::ok:
      return {fits(run), {}};
    case Verdict::oom:
      return {does_not_fit(run), refused(run.failure)};
    case Verdict::cancelled:
      return {verdict_words("cancelled", "Cancelled"), {}};
    case Verdict::failed:
      break;
  }
  return {verdict_words("failed", "Failed"), {run.failure.sentence, {}, {}}};
}

std::string verdict_sentence(const Run& run) {
  const VerdictText text = verdict_text(run);
  if (text.detail.sentence.empty()) return text.headline.sentence;
  return text.headline.sentence + ": " + text.detail.sentence;
}

}  // namespace ts::run
