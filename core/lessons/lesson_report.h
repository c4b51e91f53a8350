#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/io/document.h"
#include "core/io/text_table.h"
#include "core/lessons/findings.h"
#include "core/text/text.h"

namespace ts::lessons {

// The input of a report.
struct ReportInput {
  const Lesson* lesson = nullptr;
  Tier tier = Tier::laptop;
  const Findings* findings = nullptr;
  std::optional<Guess> guess = std::nullopt;
  std::map<std::string, std::string> answers = {};  // answers to open questions, by id
  std::vector<std::string> finished = {};           // ids of the steps that have ended
  // Pictures and files that are in the folder, relative to it.
  std::vector<std::string> pictures = {};
  std::vector<std::string> files = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string again = {};  // the command that makes the whole report again
};

std::vector<io::Block> report_blocks(const ReportInput& input, const text::Texts& texts);

// Label, own guess, measured, predicted, theory, published and source of every value.
io::TextTable values_table(const ReportInput& input, const text::Texts& texts);
// State, checked expression, number, bound and reason.
io::TextTable checks_table(const ReportInput& input, const text::Texts& texts);
// Each number with the command that reproduces it.
io::TextTable commands_table(const ReportInput& input, const text::Texts& texts);

// The name of the answer to a lesson's question: "Measured".
std::string answer_name(const Lesson& lesson, const Findings& findings, const text::Texts& texts);

// Says that the guess was right or not; of a drawn curve only its growth is judged.
std::string verdict_text(const Lesson& lesson, const Findings& findings, const Guess& guess,
                         const text::Texts& texts);
// How far a drawn curve is from the true one: its growth and the mean ratio. Empty for another
// guess and while the true one is not known.
std::string curve_summary(const Lesson& lesson, Tier tier, const Findings& findings,
                          const Guess& guess, const text::Texts& texts);
// A guess as text, in the words of its choice if it is one.
std::string text_of(const Lesson& lesson, const Guess& guess, text::Language language);

}  // namespace ts::lessons
