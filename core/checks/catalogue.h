#pragma once

#include <array>
#include <cstdint>
#include <span>

// The course's checks C-1 to C-35, and what answers each.
namespace ts::checks {

enum class Source : std::uint8_t {
  run,         // core/report/checks.h
  sweep,       // core/sweep/sweep_checks.h
  comparison,  // an A/B
  trace,       // an opened trace of a profiler
  simulation,  // from stated constants
  doctor,      // the command
  kernel       // the command that checks a kernel
};
inline constexpr int kSourceCount = 7;
const char* to_string(Source source);  // run sweep comparison trace simulation doctor kernel

struct Check {
  const char* id;                   // "C-9"; the text of what it asks is "check.title.C-9"
  std::array<Source, 3> sources{};  // the first `count` of them
  std::size_t count = 0;
  // Key of the reason where a run that ended well does not tell; empty: each of them does.
  const char* unanswered = "";
  [[nodiscard]] std::span<const Source> answered_by() const { return {sources.data(), count}; }
};

// All 35, by number.
std::span<const Check> catalogue();

}  // namespace ts::checks
