#include "core/report/verdict.h"

#include "core/text/numbers.h"

namespace ts::report {

namespace {

Message verdict_words(std::string_view key, std::string_view english,
                      std::vector<text::Argument> arguments = {}) {
  std::string sentence = text::fill(english, arguments);
  return {std::move(sentence), std::string("verdict.") + std::string(key), std::move(arguments)};
}

// What a run here proves is what it needed here, under the limit it had. Whether it would fit on a
// card is the prediction's to say: it has a context, its own kernels and an allocator of segments.
Message fits(const run::Run& run) {
  const std::int64_t peak = run.peak_allocated();
  if (peak <= 0 || run.limit <= 0) return verdict_words("finished", "Finished");
  if (run.spec.memory_limit == 0) {
    return verdict_words("ran_here", "Ran on this machine with a peak of {peak}",
                         {{"peak", text::bytes(peak).joined()}});
  }
  const std::string spare = text::bytes(run.limit - peak).joined();
  return verdict_words("fits_limit", "Fits in {limit} with {spare} to spare",
                       {{"limit", text::bytes(run.limit).joined()}, {"spare", spare}});
}

Message does_not_fit(const run::Run& run) {
  return verdict_words("oom_limit", "Does not fit in {limit}",
                       {{"limit", text::bytes(run.limit).joined()}});
}

Message refused(const run::Failure& failure) {
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

Message going_on(run::Stage stage) {
  switch (stage) {
    case run::Stage::waiting:
      return verdict_words("waiting", "Waiting");
    case run::Stage::loading_engine:
      return verdict_words("loading_engine", "Loading LibTorch");
    case run::Stage::compiling:
      return verdict_words("compiling", "Compiling the step with Inductor: a minute or two, once");
    case run::Stage::preparing:
      return verdict_words("preparing", "Preparing");
    case run::Stage::recording:
      return verdict_words("recording", "Recording");
    case run::Stage::warmup:
      return verdict_words("warmup", "Warming up");
    case run::Stage::timing:
      return verdict_words("timing", "Timing");
    case run::Stage::roof:
      return verdict_words("roof", "Measuring what this device reaches");
    case run::Stage::done:
      break;
  }
  return verdict_words("finished", "Finished");
}

}  // namespace

VerdictText verdict_text(const run::Run& run) {
  if (!run.finished) return {going_on(run.stage), {}};
  switch (run.verdict) {
    case run::Verdict::ok:
      return {fits(run), {}};
    case run::Verdict::oom:
      return {does_not_fit(run), refused(run.failure)};
    case run::Verdict::cancelled:
      return {verdict_words("cancelled", "Cancelled"), {}};
    case run::Verdict::failed:
      break;
  }
  return {verdict_words("failed", "Failed"), {run.failure.sentence, {}, {}}};
}

std::string verdict_sentence(const run::Run& run) {
  const VerdictText text = verdict_text(run);
  if (text.detail.sentence.empty()) return text.headline.sentence;
  return text.headline.sentence + ": " + text.detail.sentence;
}

}  // namespace ts::report
