#include "core/loader/lab.h"

#include <system_error>
#include <tuple>
#include <utility>

namespace ts::loader {
namespace {

// The numbers that decide the content of a data set.
auto data_of(const Plan& plan) {
  return std::tuple(plan.images, plan.samples, plan.sharded, plan.shard_samples, plan.seed,
                    plan.image_width, plan.image_height, plan.quality, plan.median, plan.spread,
                    plan.broken, plan.empty);
}

base::Result<io::PrivateFolder> temporary_folder() {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  return io::PrivateFolder::make(error ? "/tmp" : parent, "tensorscope-loader-");
}

}  // namespace

base::Result<const DataSet*> Lab::data_for(const Plan& plan, const Calls& calls,
                                           const base::CancelToken& cancel) {
  const bool same = made_for_ && (data_.empty() ? data_of(*made_for_) == data_of(plan)
                                                : made_for_->images == plan.images);
  if (same) return &set_;
  made_for_.reset();
  made_.reset();
  std::filesystem::path folder = data_;
  if (data_.empty()) {
    TS_TRY(auto made, temporary_folder());
    made_.emplace(std::move(made));
    folder = made_->path();
    TS_TRY_DONE(make_data_set(folder, plan, cancel, calls.made));
  }
  TS_TRY(set_, open_data_set(folder, plan.images));
  made_for_ = plan;
  return &set_;
}

std::vector<std::string> Lab::worker_text(const char* subject,
                                          const calculate::Chosen& chosen) const {
  std::vector<std::string> words = {program_.string(), "loader", subject};
  for (std::size_t i = 0; i < chosen.inputs().size(); ++i)
    words.push_back(chosen.inputs()[i].name + ("=" + std::to_string(chosen.of(i))));
  words.insert(words.end(), {"--data", (made_ ? made_->path() : data_).string(), "--worker"});
  return words;
}

base::Result<Answer> Lab::answer(const simulate::Experiment& question, std::size_t index,
                                 const Calls& calls, const base::CancelToken& cancel) {
  const calculate::Chosen chosen = chosen_at(question, index);
  const Plan plan = plan_of(chosen);
  TS_TRY(const auto set, data_for(plan, calls, cancel));
  std::optional<io::PrivateFolder> cache;
  if (plan.disk_cache) {
    TS_TRY(auto made, temporary_folder());
    cache.emplace(std::move(made));
  }
  TS_TRY(const auto loaded,
         load({.plan = plan,
               .set = set,
               .step = calls.step,
               .cache_folder = cache ? cache->path() : std::filesystem::path(),
               .told = calls.stepped,
               .worker_text = program_.empty() ? std::vector<std::string>()
                                               : worker_text(question.simulation->id, chosen)},
              cancel));
  Answer answer;
  if (!question.numbers.empty()) answer.point.at = question.numbers[index];
  answer.point.outcome = outcome_of(loaded, planned_batches(plan, *set));
  answer.verdict = verdict_of(loaded, answer.point.outcome);
  answer.faults = loaded.faults;
  return answer;
}

}  // namespace ts::loader
