#include "app/commands/target_arguments.h"

#include "app/commands/spec_arguments.h"
#include "app/session/card_questions.h"

namespace ts::app {

base::Result<TargetedSpec> targeted_spec(SpecArguments arguments,
                                         const std::optional<std::string>& gpu, bool cpu,
                                         const spec::GpuCatalogue& catalogue) {
  if (gpu) {
    if (cpu) return base::fail("--gpu and --cpu exclude each other");
    const auto card = catalogue.require(*gpu);
    if (!card) return tl::unexpected(card.error());
    arguments.settings.push_back("target_gpu=" + (*card)->name);
  }
  // Some settings are possible on one kind of device only.
  arguments.settings.emplace_back(cpu ? "device=cpu" : "device=cuda");
  auto spec = spec_from_arguments(arguments, catalogue);
  if (!spec) return tl::unexpected(spec.error());
  TargetedSpec found;
  found.spec = std::move(*spec);
  found.target = target_of_spec(found.spec, cpu, catalogue);
  return found;
}

CLI::Option* add_data_parallel(CLI::App& command, bool& data_parallel) {
  return command.add_flag("--data-parallel", data_parallel,
                          "Of one rank of PyTorch's DistributedDataParallel, whose buckets hold "
                          "every gradient a second time; the number of ranks has no influence");
}

}  // namespace ts::app
