#include "core/report/verdict.h"

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::report {

namespace {

base::Message verdict_text(const std::string& key, std::vector<base::Argument> arguments = {}) {
  return text::message("verdict." + key, std::move(arguments));
}

// A run here shows only how much it needed here, under its limit. Whether it would fit on a card is
// for the prediction: a card has a context, its own kernels and an allocator with segments.
base::Message fits(const run::Run& run) {
  const std::int64_t peak = run.peak_allocated();
  if (peak <= 0 || run.limit <= 0) return verdict_text("finished");
  if (run.spec.memory_limit == 0) {
    return verdict_text("ran_here", {{"peak", text::bytes(peak).joined()}});
  }
  const std::string spare = text::bytes(run.limit - peak).joined();
  return verdict_text("fits_limit", {{"limit", text::bytes(run.limit).joined()}, {"spare", spare}});
}

base::Message does_not_fit(const run::Run& run) {
  return verdict_text("oom_limit", {{"limit", text::bytes(run.limit).joined()}});
}

base::Message refused(const run::Failure& failure) {
  if (failure.bytes_asked <= 0) return failure;
  std::vector<base::Argument> arguments = {{"asked", text::bytes(failure.bytes_asked).joined()},
                                           {"free", text::bytes(failure.bytes_free).joined()}};
  if (failure.op.empty()) {
    return verdict_text("refused", std::move(arguments));
  }
  arguments.push_back({"op", failure.op});
  if (failure.module.empty()) {
    return verdict_text("refused_op", std::move(arguments));
  }
  arguments.push_back({"module", failure.module});
  return verdict_text("refused_op_module", std::move(arguments));
}

base::Message going_on(run::Stage stage) {
  switch (stage) {
    case run::Stage::waiting:
      return verdict_text("waiting");
    case run::Stage::loading_engine:
      return verdict_text("loading_engine");
    case run::Stage::compiling:
      return verdict_text("compiling");
    case run::Stage::preparing:
      return verdict_text("preparing");
    case run::Stage::recording:
      return verdict_text("recording");
    case run::Stage::warmup:
      return verdict_text("warmup");
    case run::Stage::timing:
      return verdict_text("timing");
    case run::Stage::roof:
      return verdict_text("roof");
    case run::Stage::values:
      return verdict_text("values");
    case run::Stage::done:
      break;
  }
  return verdict_text("finished");
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
      return {verdict_text("cancelled"), {}};
    case run::Verdict::failed:
      break;
  }
  return {verdict_text("failed"), run.failure};
}

base::Message verdict_sentence(const run::Run& run) {
  VerdictText said = verdict_text(run);
  if (said.detail.empty()) return said.headline;
  return text::message("verdict.with_detail", {text::argument("headline", std::move(said.headline)),
                                               text::argument("detail", std::move(said.detail))});
}

}  // namespace ts::report
