#pragma once

#include <initializer_list>

namespace ts::base {

// The names of the files of results. Lists of them say what a step of a lesson leaves, and which
// files of an earlier result a command may replace.
inline constexpr const char* kChecksCsv = "checks.csv";
inline constexpr const char* kChecksMarkdown = "checks.md";
inline constexpr std::initializer_list<const char*> kCheckFiles = {kChecksCsv, kChecksMarkdown};

inline constexpr const char* kSweepJournal = "sweep.jsonl";
inline constexpr const char* kSweepDocument = "sweep.json";
inline constexpr const char* kSweepCsv = "sweep.csv";
inline constexpr const char* kSweepMarkdown = "sweep.md";
inline constexpr const char* kSweepLatex = "sweep.tex";
inline constexpr const char* kFigurePng = "figure.png";
// Without the journal, which is never replaced.
inline constexpr std::initializer_list<const char*> kSweepFiles = {
    kSweepDocument, kSweepCsv, kSweepMarkdown, kSweepLatex, kFigurePng, "figure.svg"};

inline constexpr const char* kHuntDocument = "hunt.json";
inline constexpr const char* kHuntCsv = "hunt.csv";
inline constexpr const char* kHuntMarkdown = "hunt.md";
inline constexpr const char* kHuntLatex = "hunt.tex";
inline constexpr const char* kHuntPicture = "hunt.png";
inline constexpr std::initializer_list<const char*> kHuntFiles = {
    kHuntDocument, kHuntCsv, kHuntMarkdown, kHuntLatex, kHuntPicture};

// Beside any result, to run it again and to read about it.
inline constexpr const char* kSpecDocument = "spec.json";
inline constexpr const char* kReportMarkdown = "report.md";
inline constexpr const char* kReportHtml = "report.html";
inline constexpr const char* kReportLatex = "report.tex";
inline constexpr std::initializer_list<const char*> kReportPages = {kReportMarkdown, kReportHtml,
                                                                    kReportLatex};
inline constexpr std::initializer_list<const char*> kReportFiles = {kSpecDocument, kReportMarkdown,
                                                                    kReportHtml, kReportLatex};

}  // namespace ts::base
