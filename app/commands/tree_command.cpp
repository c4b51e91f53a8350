#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/spec_arguments.h"
#include "app/lessons/tree_sources.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/languages.h"
#include "core/advice/tree.h"
#include "core/spec/spec_fields.h"
#include "core/text/joined.h"
#include "views/common/spec_text.h"
#include "views/trees/tree_text.h"

namespace ts::app {
namespace {

using Json = nlohmann::json;

struct TreeCommand {
  std::string tree;               // empty: list them
  std::vector<std::string> what;  // a workload, files and folders
  SpecArguments spec;
  std::optional<std::string> gpu;
  std::string language = "en";
  bool json = false;
};

bool is_workload(const std::string& word) {
  const auto all = spec::field_choices(spec::Field::workload);
  return std::ranges::find(all, word) != all.end();
}

// The settings that the tree is about: those of the arguments where a workload or a setting is
// named, else those of the first file that has some.
base::Result<std::optional<spec::WorkloadSpec>> asked_spec(const TreeCommand& command,
                                                           const std::vector<EvidenceFile>& files,
                                                           const spec::GpuCatalogue& gpus) {
  SpecArguments arguments = command.spec;
  for (const std::string& word : command.what)
    if (is_workload(word)) arguments.workload = word;
  if (command.gpu) {
    TS_TRY(const auto card, gpus.require(*command.gpu));
    arguments.settings.push_back("target_gpu=" + card->name);
    arguments.settings.emplace_back("device=cuda");
  }
  const bool named = !arguments.workload.empty() || !arguments.presets.empty() ||
                     !arguments.model.empty() || arguments.spec_file;
  if (named || files.empty()) {
    TS_TRY(auto spec, spec_from_arguments(arguments, gpus));
    return std::optional(std::move(spec));
  }
  for (const EvidenceFile& file : files) {
    const auto of = advice::spec_of(file.source, file.document);
    if (!of) continue;
    TS_TRY(auto spec, changed_spec(*of, arguments.settings, "--set", gpus));
    return std::optional(std::move(spec));
  }
  return std::optional<spec::WorkloadSpec>();
}

base::Result<advice::Evidence> evidence_of(const TreeCommand& command) {
  std::vector<EvidenceFile> files;
  for (const std::string& word : command.what) {
    if (is_workload(word)) continue;
    TS_TRY(auto file, read_evidence(word));
    files.push_back(std::move(file));
  }
  const spec::GpuCatalogue gpus = built_in_gpus();
  advice::Evidence evidence;
  TS_TRY(evidence.spec, asked_spec(command, files, gpus));
  for (EvidenceFile& file : files) evidence.add(file.source, std::move(file.document));
  if (!evidence.spec) return evidence;
  evidence.command = settings_command(*evidence.spec);
  auto runner = make_dry_runner_loader()();
  if (runner) {
    add_predictions(evidence, **runner, gpus);
  } else {
    note({runner.error().sentence});
  }
  return evidence;
}

Json json_of(const advice::Walk& walk, const text::Texts& texts) {
  const text::Language language = texts.language();
  auto nodes = Json::array();
  for (const advice::Visit& visit : walk.visits) {
    const advice::Node& node = walk.tree->nodes[visit.node];
    Json one = {{"node", node.id},
                {"kind", advice::to_string(node.kind)},
                {"text", node.text.in(language)},
                {"errors", node.errors}};
    if (!node.source.empty()) one["source"] = node.source.in(language);
    if (visit.reading) {
      const advice::Branch& branch = node.branches[*visit.branch];
      one["evidence"] = {{"words", views::found_text(texts, *visit.reading)},
                         {"nature", to_string(visit.reading->nature)},
                         {"of", visit.reading->source},
                         {"where", visit.reading->where}};
      if (visit.reading->number) {
        one["evidence"]["value"] = visit.reading->number->value;
        one["evidence"]["unit"] = to_string(visit.reading->number->unit);
      }
      one["taken"] = {{"answer", branch.answer},
                      {"bounds", advice::bounds_of(node, branch, &*visit.reading)},
                      {"to", branch.to}};
      if (branch.good) one["good"] = *branch.good;
    } else if (node.kind == advice::NodeKind::ask) {
      one["missing"] = node.missing.in(language);
      one["run"] = visit.command;
      auto apart = Json::array();
      for (const base::Message& why : visit.apart) apart.push_back(why.sentence);
      one["apart"] = std::move(apart);
    }
    if (!node.set.empty()) one["set"] = node.set;
    if (node.kind == advice::NodeKind::end && !node.run.empty()) one["run"] = visit.command;
    nodes.push_back(std::move(one));
  }
  return {{"tree", walk.tree->id},
          {"rows", walk.tree->rows},
          {"title", walk.tree->title.in(language)},
          {"nodes", std::move(nodes)}};
}

void print_visit(const advice::Walk& walk, const advice::Visit& visit, const text::Texts& texts) {
  const advice::Node& node = walk.tree->nodes[visit.node];
  const text::Language language = texts.language();
  const auto line = [](const std::string& words) { std::printf("      %s\n", words.c_str()); };
  const std::string errors =
      node.errors.empty() ? "" : "  [" + text::joined(node.errors, " ") + "]";
  const bool end = node.kind == advice::NodeKind::end;
  std::printf("\n  %s %s%s\n",
              end                                    ? "=>"
              : node.kind == advice::NodeKind::yours ? "[ ]"
                                                     : "-",
              node.text.in(language).c_str(), errors.c_str());
  if (visit.reading) {
    const std::string answer = views::answer_text(texts, node, visit);
    line(views::found_text(texts, *visit.reading) + " (" +
         views::nature_text(texts, *visit.reading) + ")" +
         (answer.empty() ? "" : "  \xe2\x86\x92 " + answer));
  } else if (node.kind == advice::NodeKind::ask) {
    line(texts("tree.no_number", {{"what", node.missing.in(language)}}));
    for (const base::Message& why : visit.apart) line(views::message_text(texts, why));
  }
  if (!node.source.empty()) line(node.source.in(language));
  if (!node.set.empty()) line("--set " + text::joined(node.set, " --set "));
  if (!visit.command.empty()) line("tensorscope " + visit.command);
}

Exit walk_tree(const TreeCommand& command) {
  TS_TRY(const auto texts, built_in_texts(command.language));
  if (command.tree.empty()) {
    for (const advice::Tree& tree : built_in_trees()) {
      std::printf("%-12s %s  (%s)\n", tree.id.c_str(), tree.title.in(texts.language()).c_str(),
                  text::joined(tree.rows, " ").c_str());
    }
    return 0;
  }
  TS_TRY(const auto tree, advice::tree_from(built_in_trees(), command.tree));
  TS_TRY(const auto evidence, evidence_of(command));
  const advice::Walk walk = advice::walk(*tree, evidence);
  if (command.json) {
    print_json(json_of(walk, texts));
    return 0;
  }
  std::printf("%s\n", tree->title.in(texts.language()).c_str());
  for (const advice::Visit& visit : walk.visits) print_visit(walk, visit, texts);
  return 0;
}

}  // namespace

ParsedCommand tree_command(CLI::App& app) {
  const auto options = std::make_shared<TreeCommand>();
  app.add_option("TREE", options->tree, "Which one; without it all are listed")->option_text(" ");
  app.add_option("WORKLOAD|FILE", options->what,
                 "What it is asked about: a workload; folders of runs, sweeps, comparisons and "
                 "predictions, documents of --json, recordings, traces of torch.profiler")
      ->option_text("...");
  add_spec_options(app, options->spec);
  app.add_option("--gpu", options->gpu,
                 "Predict for this card; default: the device of the settings")
      ->type_name("NAME");
  add_language(app, options->language);
  add_json(app, options->json);
  app.footer(
      "Each question is answered by a number, which is measured, predicted or by a formula. Where "
      "there is none, the command that gives it is named. Exit code 2: bad input.");
  return parsed_command(options, walk_tree);
}

}  // namespace ts::app
