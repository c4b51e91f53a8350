#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "app/commands/hunt_command.h"
#include "app/commands/own_commands.h"
#include "app/commands/target_arguments.h"
#include "app/output/own_report.h"
#include "app/own_file/own_file.h"
#include "app/session/card_questions.h"
#include "app/session/catalogue.h"
#include "core/predict/hunt.h"
#include "core/spec/spec_fields.h"

namespace ts::app {
namespace {

// The argument of that name, between the ends that the file declares.
base::Result<predict::HuntAxis> own_axis(const HuntCommand& command,
                                         const OwnDescription& described) {
  if (command.axes.size() != 1)
    return base::fail("A Python file is hunted along one axis: --axis T or --axis B");
  auto axis = predict::parse_hunt_axis(command.axes[0]);
  if (!axis) return axis;
  const std::string name = spec::field_name(axis->field);
  const auto found = std::ranges::find(described.arguments, name, &OwnArgument::name);
  if (found == described.arguments.end() || found->kind != OwnArgument::Kind::whole)
    return base::fail("The function has no whole number " + name + " to hunt along");
  if (found->low && found->high) {
    axis->low = std::max(axis->low, static_cast<std::int64_t>(*found->low));
    axis->high = std::min(axis->high, static_cast<std::int64_t>(*found->high));
    if (axis->low > axis->high)
      return base::fail("The file declares other values of " + name + " than this axis has");
  }
  return axis;
}

// A run without data for every probe.
predict::Probe own_probe(OwnProcess& process, const OwnQuestion& question,
                         const predict::PredictionTarget& target, const predict::HuntAxis& axis,
                         const base::CancelToken& cancel) {
  return [&process, question, target, axis,
          cancel](const spec::WorkloadSpec& spec) -> base::Result<predict::ProbeAnswer> {
    OwnQuestion one = question;
    one.settings[spec::field_name(axis.field)] = spec::field_text(spec, axis.field);
    auto dry = dry_run_own(process, one, target, cancel, OnCpu::never);
    if (!dry) return tl::unexpected(dry.error());
    const predict::Prediction prediction = predict::predict(
        dry->run, *dry->strings, target, predict::allocator_settings_of(spec), nullptr);
    return predict::answer_of(prediction, target);
  };
}

}  // namespace

int hunt_own(const HuntCommand& command, const OwnFile& file) {
  if (command.every_cell || command.out || command.data_parallel || command.confirm) {
    return report(
        "A Python file is hunted along one axis by predictions: --every-cell, --out, --confirm and "
        "--data-parallel are not for it",
        2);
  }
  const auto own = own_question(file, command.spec, command.own);
  if (!own) return report(own.error(), 2);
  const auto question = targeted_spec({}, command.gpu, command.cpu, built_in_gpus());
  if (!question) return report(question.error(), 2);
  std::optional<predict::HuntAxis> axis;
  const auto hunt = ask_own(
      *own,
      [&](OwnProcess& process, const base::CancelToken& cancel) -> base::Result<predict::EdgeHunt> {
        const auto described = describe_own(process, *own, cancel);
        if (!described) return tl::unexpected(described.error());
        auto found = own_axis(command, *described);
        if (!found) return tl::unexpected(found.error());
        axis = *found;
        return predict::hunt_edge(question->spec, *axis, question->target.name,
                                  own_probe(process, *own, question->target, *axis, cancel),
                                  cancel);
      });
  if (!hunt) return report_own(hunt.error());
  if (command.json) {
    nlohmann::json json = edge_json(*hunt, question->spec, *axis, question->target);
    json["spec"] = own_json(*own);
    print_json(json);
  } else {
    print_edge(*hunt, *axis);
  }
  return hunt->cancelled ? 1 : 0;
}

}  // namespace ts::app
