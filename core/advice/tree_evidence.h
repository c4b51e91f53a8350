#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/message.h"
#include "core/base/result.h"
#include "core/lessons/expression.h"
#include "core/lessons/findings.h"
#include "core/spec/workload_spec.h"

namespace ts::advice {

// The inputs of a walk through a tree: the settings, and documents by their source:
//   run, ab, sweep     as the commands of these names print them (measured)
//   predict            the prediction of the settings; naive, flash: with that backend
//   trace              the summary of an imported trace
struct Evidence {
  std::optional<spec::WorkloadSpec> spec;  // unset: of a trace alone
  std::string command;                     // the settings as arguments of a command
  lessons::Documents documents;
  // Why a document is not among them, by its source: it is of other settings.
  std::map<std::string, base::Message, std::less<>> apart;

  // Takes a measured document, and its settings where there are none yet. One of other settings is
  // put aside; backend, card and its limit may differ.
  void add(const std::string& source, nlohmann::json document);
};

// The settings that a document is of; unset for a trace.
std::optional<spec::WorkloadSpec> spec_of(const std::string& source,
                                          const nlohmann::json& document);

// A number by its name: a quantity of core/lessons/quantities.h of a document, a setting
// (settings.T), a formula (theory.attention_flops_percent), or the share of kernels of a trace
// (trace.communication_percent, trace.softmax_percent).
// Unset where there is none.
std::optional<lessons::Number> number_of(const Evidence& evidence,
                                         const lessons::Reference& reference);
// A word by its name: settings.FIELD, run.backend_ran, ab.a_backend, ab.b_backend,
// ab.b_backend_ran, predict.backend, flash.available (yes, no). Empty where there is none.
std::string word_of(const Evidence& evidence, const std::string& name);
// Why no tree can have a number or word of that name; nothing is wrong with the others.
base::Result<void> check_number_name(const lessons::Reference& reference);
base::Result<void> check_word_name(const std::string& name);

// The device or card of a source; empty: none.
std::string where_of(const Evidence& evidence, const std::string& source);

}  // namespace ts::advice
