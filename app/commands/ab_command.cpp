#include "app/commands/ab_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/sweep_arguments.h"
#include "app/output/comparison_files.h"
#include "app/output/environment.h"
#include "app/output/output_folder.h"
#include "app/output/own_report.h"
#include "app/session/engine_loader.h"
#include "app/session/languages.h"
#include "app/session/session.h"
#include "core/base/result_files.h"
#include "core/checks/comparison_checks.h"
#include "core/io/text_table.h"
#include "core/report/compare_report.h"
#include "core/run/compare.h"
#include "core/spec/spec_fields.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"

namespace ts::app {
namespace {

void print_comparison(const run::Comparison& comparison,
                      const std::vector<report::CheckResult>& checks) {
  std::printf("%s%s\n%s\n", report::sides_text(comparison).c_str(),
              io::to_markdown(report::comparison_table(comparison)).c_str(),
              report::comparison_sentence(comparison).sentence.c_str());
  if (const base::Message paid = report::break_even_sentence(comparison); !paid.empty())
    std::printf("%s\n", paid.sentence.c_str());
  print_checks(checks);
  for (int i = 0; i < 2; ++i) {
    if (comparison.sides[static_cast<std::size_t>(i)].warmup_stable) continue;
    std::printf("The warm-up of %s did not settle: take its figures with care\n",
                i == 0 ? "A" : "B");
  }
}

// Times A and B by turns on the calling thread and reports which one is faster.
Exit compare_workloads(const AbCommand& command) {
  if (const auto file = own_file_of(command.spec.model))
    return compare_own_settings(command, *file);
  Session session(make_engine_loader());
  TS_TRY(const auto a, spec_from_arguments(command.spec, session.gpus()));
  TS_TRY(const auto b, changed_spec(a, command.changes, "--with", session.gpus()));

  // Identical settings would still produce a verdict.
  if (a == b) {
    return base::fail(
        "A and B have the same settings: say with --with KEY=VALUE what B has otherwise");
  }
  const std::vector<std::string> idle = without_effect(command.changes, b);
  if (!idle.empty()) return report(idle.front(), 2);
  note(without_effect(command.spec.settings, a));
  TS_TRY(const auto parts, parts_from(command.parts, command.out.has_value(), kPartsOfPair));
  TS_TRY(auto folder,
         OutputFolder::claim_if(command.out, names_of({{"comparison.json", "comparison.csv",
                                                        "comparison.md", "a.json", "b.json"},
                                                       base::kCheckFiles,
                                                       base::kReportPages})));

  run::Protocol protocol = run::comparison_protocol();
  if (command.pairs > 0) take_steps(protocol, command.pairs);
  ProgressLine progress;
  compare_to_end(session, a, b, protocol, [&](const run::Comparison& so_far) {
    progress.show(std::to_string(so_far.sides[0].timed_steps.size()) + " pairs, " +
                  text::decimal(so_far.seconds, 0) + " s");
  });
  progress.clear();
  if (session.comparison() == nullptr) return report(session.comparison_problem(), 1);
  const run::Comparison& comparison = *session.comparison();
  const auto checks = checks::of_comparison(comparison, folder.has_value());
  if (!command.json) print_comparison(comparison, checks);
  if (!command.json && !folder) return comparison.failure ? 1 : 0;
  nlohmann::json document =
      report::to_json(comparison, protocol, environment_json(read_machine(), session.engine()));
  if (command.json) {
    document["checks"] = report::to_json(checks);
    print_json(document);
  }
  if (folder) {
    TS_TRY_DONE(or_failed(write_comparison(*command.out, comparison, document, parts)));
    TS_TRY_DONE(or_failed(finish_with_report(*folder, *command.out, parts, built_in_texts())));
    print_written(*command.out);
  }
  return comparison.failure ? 1 : 0;
}

}  // namespace

ParsedCommand ab_command(CLI::App& app) {
  const auto options = std::make_shared<AbCommand>();
  add_workload(app, options->spec);
  app.add_option("--with", options->changes, "What is different in B; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_spec_options(app, options->spec);
  app.add_option("--pairs", options->pairs,
                 "Pairs of steps, rounded up to even; default: until the ratio is sure")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--out", options->out, "Write comparison.json, tables and a report there")
      ->type_name("DIR");
  add_parts(app, options->parts);
  add_own_options(app, options->own);
  add_json(app, options->json);
  app.footer(presets_help() + spec::field_help());
  return parsed_command(options, compare_workloads);
}

}  // namespace ts::app
