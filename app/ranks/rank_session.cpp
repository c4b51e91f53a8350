#include "app/ranks/rank_session.h"

#include <string>
#include <utility>

#include "app/output/output_folder.h"
#include "app/output/time_stamp.h"
#include "app/ranks/rank_results.h"
#include "app/ranks/whole_run.h"
#include "app/session/card_questions.h"
#include "core/base/clock.h"
#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::app {

RankSession::RankSession(predict::DryRunnerLoader dry_runner, const spec::GpuCatalogue& gpus)
    : loader_(std::move(dry_runner)),
      gpus_(gpus),
      thread_(
          {.work = [this](RankRun& run, const base::CancelToken& cancel) { work(run, cancel); }}) {}

void RankSession::predict(RankAnswer& answer, const base::CancelToken& cancel) {
  if (answer.run.world.compression != run::Compression::none) {
    answer.not_predicted = text::message("ranks.not_predicted");
    return;
  }
  if (runner_ == nullptr) {
    auto made = loader_();
    if (!made) {
      answer.not_predicted = made.error();
      return;
    }
    runner_ = std::make_unique<predict::RankRunner>(std::move(*made), predict::Share{});
  }
  const spec::WorkloadSpec& spec = answer.run.spec;
  const auto ranks = static_cast<std::size_t>(answer.run.world.place.size);
  predict::Share share = predict::share_of(answer.run.world);
  // Whose tensors are dealt out whole have not the same ones; else all ranks are alike.
  const std::size_t different = share.shard == predict::Shard::zero1 ? ranks : 1;
  if (share.ranks == 1) share.ranks = 2;  // one rank has the buckets, too
  std::vector<std::int64_t> predicted;
  while (predicted.size() < different) {
    share.rank = static_cast<std::int64_t>(predicted.size());
    runner_->choose(share);
    base::StringTable strings;
    const auto asked =
        ask_card(*runner_, strings, spec, target_of_spec(spec, /*cpu=*/true, gpus_), cancel);
    if (!asked) {
      answer.not_predicted = asked.error();
      return;
    }
    predicted.push_back(asked->now.prediction.peak_requested);
  }
  predicted.resize(ranks, predicted.front());
  answer.predicted = std::move(predicted);
}

base::Result<void> RankSession::run(RankAnswer& answer, const base::CancelToken& cancel) {
  RankRun& run = answer.run;
  if (run.folder.empty()) return text::fail("file_error.no_home");
  if (auto made = io::make_folder(run.folder); !made) return made;
  run.folder = new_path(run.folder, std::string("ranks-") + to_string(run.spec.workload));
  TS_TRY(auto folder, OutputFolder::claim(run.folder, kRankFiles));
  const std::int64_t begin_ns = base::now_ns();
  std::int64_t told_ns = 0;
  auto ran = run_and_gather(run, cancel, [&] {
    constexpr std::int64_t kPause = 100'000'000;  // nanoseconds
    const std::int64_t now_ns = base::now_ns();
    if (now_ns - told_ns < kPause) return;
    told_ns = now_ns;
    answer.seconds = static_cast<double>(now_ns - begin_ns) * 1e-9;
    answer.progress = progress_of_ranks(run.folder);
    latest_.publish(answer);
  });
  if (!ran) return tl::unexpected(ran.error());
  answer.document = std::move(ran->document);
  answer.problem = std::move(ran->problem);
  return folder.finish();
}

void RankSession::work(const RankRun& asked, const base::CancelToken& cancel) {
  RankAnswer answer;
  answer.run = asked;
  latest_.publish(answer);
  predict(answer, cancel);
  if (const auto ran = run(answer, cancel); !ran) answer.problem = ran.error();
  latest_.publish(std::move(answer));
}

}  // namespace ts::app
