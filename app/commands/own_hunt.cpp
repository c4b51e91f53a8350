#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/hunt_command.h"
#include "app/commands/own_commands.h"
#include "app/commands/report.h"
#include "app/commands/target_arguments.h"
#include "app/output/output_folder.h"
#include "app/own_file/own_file.h"
#include "app/session/card_questions.h"
#include "app/session/catalogue.h"
#include "core/base/clock.h"
#include "core/base/result_files.h"
#include "core/predict/hunt_map.h"
#include "core/spec/spec_fields.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

using OwnAxes = std::vector<predict::HuntAxis>;

// Puts an axis between the ends that the file declares for the argument of its name.
base::Result<void> bound_axis(predict::HuntAxis& axis, const OwnDescription& described) {
  const std::string name = spec::field_name(axis.field);
  const auto found = std::ranges::find(described.arguments, name, &OwnArgument::name);
  if (found == described.arguments.end() || found->kind != OwnArgument::Kind::whole)
    return base::fail("The function has no whole number " + name + " to hunt along");
  if (!found->low || !found->high) return {};
  const auto low = static_cast<std::int64_t>(*found->low);
  axis.step = found->step;
  axis.low = std::max(axis.low, low);
  axis.low += (axis.step - (axis.low - low) % axis.step) % axis.step;
  axis.high = std::min(axis.high, static_cast<std::int64_t>(*found->high));
  if (axis.low > axis.high)
    return base::fail("The file declares other values of " + name + " than this axis has");
  return {};
}

// The values of the axes where they are not varied: those that are set, else the file's.
void take_values(const OwnQuestion& question, const OwnDescription& described, const OwnAxes& axes,
                 spec::WorkloadSpec& spec) {
  for (const predict::HuntAxis& axis : axes) {
    const std::string name = spec::field_name(axis.field);
    const auto set = question.settings.find(name);
    const auto found = std::ranges::find(described.arguments, name, &OwnArgument::name);
    // One that a setting of ours cannot have is no value of the axis, either.
    static_cast<void>(
        spec::set_field(spec, name, set != question.settings.end() ? set->second : found->value));
  }
}

// A run without data for every probe.
predict::Probe own_probe(OwnProcess& process, const OwnQuestion& question,
                         const predict::PredictionTarget& target, const OwnAxes& axes,
                         const base::CancelToken& cancel) {
  return [&process, question, target, axes,
          cancel](const spec::WorkloadSpec& spec) -> base::Result<predict::ProbeAnswer> {
    OwnQuestion one = question;
    for (const predict::HuntAxis& axis : axes)
      one.settings[spec::field_name(axis.field)] = spec::field_text(spec, axis.field);
    TS_TRY(auto dry, dry_run_own(process, one, target, cancel, OnCpu::never));
    const predict::Prediction prediction = predict::predict(
        dry.run, *dry.strings, target, predict::allocator_settings_of(spec), nullptr);
    return predict::answer_of(prediction, target);
  };
}

// A hunt and what it went along.
struct OwnHunt {
  OwnAxes axes;
  std::optional<predict::EdgeHunt> edge;
  std::optional<predict::HuntMap> map;
  double seconds = 0;
};

base::Result<OwnHunt> ask_hunt(const HuntCommand& command, OwnAxes axes, const OwnQuestion& own,
                               const TargetedSpec& question, OwnProcess& process,
                               const base::CancelToken& cancel) {
  TS_TRY(const auto described, describe_own(process, own, cancel));
  OwnHunt hunt;
  hunt.axes = std::move(axes);
  for (predict::HuntAxis& axis : hunt.axes) {
    TS_TRY_DONE(bound_axis(axis, described));
  }
  const predict::Probe probe = own_probe(process, own, question.target, hunt.axes, cancel);
  if (hunt.axes.size() == 1) {
    TS_TRY(hunt.edge,
           predict::hunt_edge(question.spec, hunt.axes[0], question.target.name, probe, cancel));
    return hunt;
  }
  const std::int64_t begin_ns = base::now_ns();
  spec::WorkloadSpec base = question.spec;
  take_values(own, described, hunt.axes, base);
  hunt.map.emplace(std::move(base), hunt.axes[0], hunt.axes[1], predict::kMapSide);
  const auto filled = predict::fill(
      *hunt.map, depth_of(command), probe, [](std::size_t) {}, cancel);
  if (!filled && !cancel.cancelled()) return tl::unexpected(filled.error());
  hunt.seconds = static_cast<double>(base::now_ns() - begin_ns) * 1e-9;
  return hunt;
}

Exit print_own_map(const HuntCommand& command, const OwnQuestion& own, const OwnHunt& hunt,
                   const predict::PredictionTarget& target, const SaveParts& parts,
                   bool cancelled) {
  const predict::HuntMap& map = *hunt.map;
  const HuntSubject subject{
      own_title(own) + ", " + spec::field_name(map.y().field) + " x " +
          spec::field_name(map.x().field) + " on " + target.name + " (" +
          text::bytes(target.memory).joined() + "), predicted by runs without data.",
      own.settings.empty() ? "as in the file" : "those named, others as in the file",
      own_json(own)};
  return print_hunt_map(command, map, target, {hunt.seconds, cancelled}, subject, parts);
}

}  // namespace

Exit hunt_own(const HuntCommand& command, const OwnFile& file) {
  if (command.data_parallel || command.confirm) {
    return base::fail(
        "A Python file is hunted by predictions of one process: --confirm and --data-parallel are "
        "not for it");
  }
  TS_TRY(const auto axes, axes_of(command));
  TS_TRY(const auto own, own_question(file, command.spec, command.own));
  TS_TRY(const auto question, targeted_spec({}, command.gpu, command.cpu, built_in_gpus()));
  TS_TRY(auto parts, parts_from(command.parts, command.out.has_value(), kPartsOfMany));
  TS_TRY(auto folder, OutputFolder::claim_if(command.out, base::kHuntFiles));
  bool cancelled = false;
  TS_TRY(const auto hunt, ask_own(own, [&](OwnProcess& process, const base::CancelToken& cancel) {
           auto asked = ask_hunt(command, axes, own, question, process, cancel);
           cancelled = cancel.cancelled();
           return asked;
         }));
  if (hunt.map) {
    TS_TRY_DONE(print_own_map(command, own, hunt, question.target, parts, cancelled));
    if (folder) {
      TS_TRY_DONE(or_failed(folder->finish()));
    }
    return cancelled ? 1 : 0;
  }
  const predict::HuntAxis& axis = hunt.axes[0];
  if (command.json) {
    nlohmann::json json = edge_json(*hunt.edge, question.spec, axis, question.target);
    json["spec"] = own_json(own);
    print_json(json);
  } else {
    print_edge(*hunt.edge, axis);
  }
  return hunt.edge->cancelled ? 1 : 0;
}

}  // namespace ts::app
