#include "app/ranks/whole_run.h"

#include <cstddef>

#include "app/ranks/rank_results.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

base::Message problem_of(const RankRun& run, const RanksEnded& ended) {
  if (!ended.first) return {};
  if (ended.cancelled) return text::message("verdict.cancelled");
  if (ended.all_alike) return ended.why;
  return text::message("ranks.others_ended", {text::argument("why", ended.why),
                                              {"seconds", text::decimal(ended.others_s, 1)},
                                              {"timeout", text::decimal(run.world.timeout_s, 0)}});
}

}  // namespace

base::Result<WholeRun> run_and_gather(const RankRun& run, const base::CancelToken& cancel,
                                      const std::function<void()>& wait) {
  TS_TRY(const auto ended, run_ranks(run, cancel, wait));
  const auto size = static_cast<std::size_t>(run.world.place.size);
  WholeRun whole;
  whole.document = gather_ranks(run.folder, size);
  whole.document["timeout_s"] = run.world.timeout_s;
  whole.document["shard"] = run::to_string(run.world.shard);
  whole.document["sentence"] = nullptr;
  if (ended.first) {
    whole.document["sentence"] = ended.why.sentence;
    whole.document["others_ended_after_s"] = ended.others_s;
    whole.bad_input = ended.ends[*ended.first].code == 2;
  }
  whole.problem = problem_of(run, ended);
  TS_TRY_DONE(write_ranks(run.folder, size, whole.document));
  return whole;
}

}  // namespace ts::app
