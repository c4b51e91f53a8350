// Every command of docs/labs.md is one that the program takes.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "app/commands/ab_command.h"
#include "app/commands/command_line.h"
#include "app/commands/hunt_command.h"
#include "app/commands/predict_command.h"
#include "app/commands/run_command.h"
#include "app/commands/spec_arguments.h"
#include "app/session/catalogue.h"
#include "tests/io/temporary_folder.h"

namespace ts::app {
namespace {

// The words between backquotes in the second column of the tables that begin with a command.
std::vector<std::string> commands_of_the_docs() {
  std::ifstream file(TENSORSCOPE_LABS);
  std::vector<std::string> commands;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ")) continue;
    const std::size_t begin = line.find(" | ", 1);
    const std::size_t end = begin == line.npos ? begin : line.find(" | ", begin + 3);
    if (end == line.npos) continue;
    const std::string column = line.substr(begin + 3, end - begin - 3);
    for (std::size_t at = column.find('`'); at != column.npos; at = column.find('`', at + 1)) {
      const std::size_t close = column.find('`', at + 1);
      if (close == column.npos) break;
      const std::string words = column.substr(at + 1, close - at - 1);
      at = close;
      const std::string first = words.substr(0, words.find(' '));
      for (const char* command : {"run", "ab", "predict", "sweep", "hunt", "doctor", "shot"}) {
        if (first == command && words.find("...") == words.npos) commands.push_back(words);
      }
    }
  }
  return commands;
}

// As a shell splits it: quotes keep blanks together.
std::vector<std::string> split(const std::string& command) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char letter : command) {
    if (letter == '"') {
      quoted = !quoted;
    } else if (letter == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  return words;
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

template <class Options>
const Options* options_of(const ParsedCommand& command) {
  const auto* options = std::any_cast<std::shared_ptr<Options>>(&command.options);
  return options != nullptr ? options->get() : nullptr;
}

// Why the specification of a command cannot run, or what of it has no effect; empty when it can and
// all has, or the command has none.
std::string problem_of(const ParsedCommand& command, const spec::GpuCatalogue& gpus,
                       int& specs_seen) {
  const auto idle = [](const std::vector<std::string>& settings, const spec::WorkloadSpec& spec) {
    const auto sentences = without_effect(settings, spec);
    return sentences.empty() ? std::string() : sentences.front();
  };
  const auto of_spec = [&](const SpecArguments& arguments) {
    ++specs_seen;
    const auto spec = spec_from_arguments(arguments, gpus);
    return spec ? idle(arguments.settings, *spec) : spec.error().sentence;
  };
  if (const auto* one = options_of<RunCommand>(command)) return of_spec(one->spec);
  if (const auto* one = options_of<PredictCommand>(command)) return of_spec(one->spec);
  if (const auto* one = options_of<HuntCommand>(command)) return of_spec(one->spec);
  if (const auto* one = options_of<AbCommand>(command)) {
    const auto a = spec_from_arguments(one->spec, gpus);
    if (!a) return a.error().sentence;
    const auto b = changed_spec(*a, one->changes, "--with", gpus);
    return b ? idle(one->changes, *b) : b.error().sentence;
  }
  return {};
}

TEST(Labs, EveryCommandOfTheDocsIsTaken) {
  const io::testing::TemporaryFolder folder;
  const auto text = folder.path() / "text.txt";
  std::ofstream(text) << std::string(100'000, 'a');
  const spec::GpuCatalogue gpus = built_in_gpus();
  const auto commands = commands_of_the_docs();
  int specs_seen = 0;
  EXPECT_GT(commands.size(), 40U) << "the table of " TENSORSCOPE_LABS " was not found";
  for (std::string command : commands) {
    replace_all(command, "FILE", text.string());
    replace_all(command, "DIR", folder.path().string());
    replace_all(command, "NAME", "h200");
    SCOPED_TRACE(command);
    std::vector<std::string> words = split(command);
    std::vector<const char*> arguments = {"tensorscope"};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    const auto parsed = parse_command_line(static_cast<int>(arguments.size()), arguments.data());
    if (!parsed) {
      ADD_FAILURE() << parsed.error().sentence;
      continue;
    }
    EXPECT_EQ(problem_of(*parsed, gpus, specs_seen), "");
  }
  EXPECT_GT(specs_seen, 30) << "their settings were looked at";
}

}  // namespace
}  // namespace ts::app
