#include "app/commands/target_arguments.h"

#include "app/session/card_questions.h"

namespace ts::app {

base::Result<TargetedSpec> targeted_spec(SpecArguments arguments,
                                         const std::optional<std::string>& gpu, bool cpu,
                                         const spec::GpuCatalogue& catalogue) {
  if (gpu) {
    if (cpu) return base::fail("--gpu and --cpu exclude each other");
    TS_TRY(const auto card, catalogue.require(*gpu));
    arguments.settings.push_back("target_gpu=" + card->name);
  }
  // Some settings are possible on one kind of device only.
  arguments.settings.emplace_back(cpu ? "device=cpu" : "device=cuda");
  TargetedSpec found;
  TS_TRY(found.spec, spec_from_arguments(arguments, catalogue));
  found.target = target_of_spec(found.spec, cpu, catalogue);
  return found;
}

void add_share(CLI::App& command, ShareArguments& arguments) {
  predict::Share& share = arguments.share;
  const CLI::Range range(std::int64_t{1}, predict::kMostRanks);
  command.add_option("--ranks", share.ranks, "Of one of N data-parallel ranks")
      ->type_name("N")
      ->check(range);
  command
      .add_option("--shard", arguments.shard,
                  "What these ranks divide: none (DistributedDataParallel), zero1 "
                  "(optimizer state), zero2 (and gradients), zero3 (and parameters)")
      ->type_name("NAME");
  command.add_option("--rank", share.rank, "With zero1 of this rank, from 0; else of the fullest")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, predict::kMostRanks));
  command
      .add_option("--tensor", share.tensor, "Heads, feed-forward and vocabulary split over N ranks")
      ->type_name("N")
      ->check(range);
  command
      .add_option("--pipeline", share.pipeline,
                  "Blocks in N stages, accumulate micro-batches by 1F1B")
      ->type_name("N")
      ->check(range);
  command.add_option("--stage", share.stage, "Of this stage, from 0")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, predict::kMostRanks));
}

base::Result<predict::Share> share_of(const ShareArguments& arguments,
                                      const spec::WorkloadSpec& spec) {
  predict::Share share = arguments.share;
  TS_TRY(share.shard, predict::shard_from(arguments.shard));
  if (auto problem = predict::share_problem(spec, share)) {
    return tl::unexpected(base::Error(std::move(*problem)));
  }
  return share;
}

CLI::Option* add_data_parallel(CLI::App& command, bool& data_parallel) {
  return command.add_flag("--data-parallel", data_parallel,
                          "Of one rank of PyTorch's DistributedDataParallel, whose buckets hold "
                          "every gradient a second time; the number of ranks has no influence");
}

}  // namespace ts::app
