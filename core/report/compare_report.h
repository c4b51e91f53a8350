#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/base/message.h"
#include "core/io/text_table.h"
#include "core/run/compare.h"

namespace ts::report {

// "backend: A naive, B flash", a line for each setting that differs.
std::string sides_text(const run::Comparison& comparison);

// Step, forward, backward, optimizer and peak: A, B and B / A with its interval.
io::TextTable comparison_table(const run::Comparison& comparison);

// "flash is 1.420 times as fast as naive", that it is unclear, or what ended it, with names for the
// sides.
base::Message comparison_verdict(const run::Comparison& comparison, const std::string& a,
                                 const std::string& b);
// The evidence: "95 % CI 1.390 to 1.450, 40 pairs in the order A B B A".
base::Message comparison_basis(const run::Comparison& comparison);
// Both of "A" and "B".
base::Message comparison_sentence(const run::Comparison& comparison);
// The number of steps after which compiling B has paid off, if only B is compiled; nothing if it
// never does.
std::optional<std::int64_t> break_even_steps(const run::Comparison& comparison);
// The same in words; empty unless B alone is compiled.
base::Message break_even_sentence(const run::Comparison& comparison);
// {sentence, verdict, a, b {spec, step_ms, parts_ms, samples_ms, ...}, ratio {total, forward, ...},
// differences, environment}
nlohmann::json to_json(const run::Comparison& comparison, const run::Protocol& protocol,
                       const nlohmann::json& environment);

}  // namespace ts::report
