#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "app/ranks/rank_launcher.h"
#include "core/base/cancel.h"
#include "core/base/message.h"
#include "core/base/result.h"

namespace ts::app {

// A run by ranks from its start to the files in its folder, for the command and the window.
struct WholeRun {
  nlohmann::json document;  // ranks.json
  base::Message problem;   // the rank that ended first and why, or cancelled; empty: all ended well
  bool bad_input = false;  // the ranks refused what was asked
};

// As run_ranks(), and gathers what the ranks left, also when they did not end well. Errors: they
// cannot be started, or nothing can be written.
base::Result<WholeRun> run_and_gather(const RankRun& run, const base::CancelToken& cancel,
                                      const std::function<void()>& wait);

}  // namespace ts::app
