#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "core/base/message.h"
#include "core/base/string_table.h"
#include "core/io/text_table.h"
#include "core/run/run.h"

namespace ts::report {

// The course's checks of a measurement and its settings, C-1 to C-35: those that one run answers.
// core/checks/catalogue.h lists all of them and what answers the others.
enum class CheckState : std::uint8_t {
  passed,
  noted,  // worth a second look
  failed,
  unknown  // what is there does not tell; `found` is the reason
};
const char* to_string(CheckState state);  // passed noted failed unknown

struct CheckResult {
  const char* id = "";  // "C-3"; stable
  CheckState state = CheckState::passed;
  base::Message found;       // the number and its threshold
  base::Message why;         // what goes wrong otherwise
  base::Message title = {};  // what is checked; empty for findings of a script
};

// "check.title." and the id.
base::Message title_of_check(const char* id);

// In the order of their ids; a check that does not apply, or has too few steps to answer, is left
// out. C-26 is there where the protocol asks for it, also as unknown. Empty until a run has ended
// well. `strings` is the table of the run's recording. O(n log n) of the recorded operators.
std::vector<CheckResult> checks_of(const run::Run& run, const base::StringTable& strings);

// [{check, title, state, found, found_text, why, why_text}]: English sentences, their keys
// (message.h).
nlohmann::json to_json(std::span<const CheckResult> checks);
// Columns check, state, found, why; in English.
io::TextTable checks_table(const std::vector<CheckResult>& checks);

}  // namespace ts::report
