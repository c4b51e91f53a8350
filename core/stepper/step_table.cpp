#include "core/stepper/step_table.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "core/calculate/calculation_table.h"
#include "core/text/numbers.h"

namespace ts::stepper {
namespace {

constexpr const char* kMinusInfinity = "\xe2\x88\x92\xe2\x88\x9e";
constexpr double kHardly = 1e-4;  // smaller numbers that are not 0 have a power of ten

std::string scientific(double value) {
  char words[32];
  std::snprintf(words, sizeof words, "%.1e", std::abs(value));
  return (value < 0 ? "\xe2\x88\x92" : "") + std::string(words);
}

std::string plain_number(double value) {
  if (std::isnan(value)) return {};
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return text::plain(value);
}

// Name and value of figures.
io::TextTable figure_table(const std::vector<calculate::Figure>& figures,
                           const text::Texts& texts) {
  io::TextTable table{.columns = {texts("calculate.column.what"), texts("calculate.column.name"),
                                  texts("calculate.column.value")},
                      .right = {false, false, true}};
  for (const calculate::Figure& figure : figures) {
    const bool hardly = figure.value != 0 && std::abs(figure.value) < kHardly;
    table.rows.push_back(
        {texts("stepper.term." + std::string(figure.name)), figure.name,
         hardly ? scientific(figure.value) : calculate::value_text(figure.value, figure.unit)});
  }
  return table;
}

}  // namespace

std::string number_text(double value, Digits digits) {
  if (std::isnan(value)) return text::kNoNumber;
  if (std::isinf(value)) return value < 0 ? kMinusInfinity : "\xe2\x88\x9e";
  switch (digits) {
    case Digits::whole:
      return text::grouped(std::llround(value));
    case Digits::bytes:
      return text::bytes(std::llround(value)).joined();
    case Digits::small:
      return value == 0 ? "0" : scientific(value);
    case Digits::value:
      break;
  }
  return value != 0 && std::abs(value) < kHardly ? scientific(value) : text::decimal(value, 4);
}

io::TextTable step_table(const Stepper& stepper, Walk& walk, const text::Texts& texts, bool plain) {
  io::TextTable table;
  const auto heading = [&](const std::string& name) {
    table.columns.push_back(plain ? name : std::string(texts("stepper.column." + name)));
  };
  heading("step");
  table.right.push_back(true);
  for (const Column& column : stepper.columns) {
    heading(column.name);
    table.right.push_back(true);
  }
  heading("said");
  table.right.push_back(false);
  for (std::size_t step = 0; step < steps_of(walk); ++step) {
    std::vector<std::string> row = {std::to_string(step)};
    const std::vector<double> numbers = row_of(walk, step);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      row.push_back(plain ? plain_number(numbers[i])
                          : number_text(numbers[i], stepper.columns[i].digits));
    }
    const base::Message said = said_at(walk, step);
    row.push_back(texts(said.key, said.arguments));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string document_text(const Exercise& exercise, Walk& walk, std::string_view format,
                          const text::Texts& texts) {
  const io::TextTable table = step_table(*exercise.stepper, walk, texts, format == "csv");
  const std::string id = exercise.stepper->id;
  const std::string title = texts("stepper.title." + id);
  std::string below =
      "\n" + io::to_markdown(figure_table(figures_of(exercise, walk), texts)) + "\n";
  if (exercise.fit) {
    const base::Message& said = exercise.fit->said;
    below += texts(said.key, said.arguments) + "\n\n";
  }
  below += std::string(texts("stepper.about." + id)) + "\n" +
           texts("calculate.source", {{"source", exercise.stepper->source}}) + "\n";
  return io::table_document(table, format, title, id, below);
}

}  // namespace ts::stepper
