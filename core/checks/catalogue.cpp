#include "core/checks/catalogue.h"

namespace ts::checks {
namespace {

using enum Source;

constexpr std::array kAll = {
    Check{"C-1", {run}, 1, ""},
    Check{"C-2", {run}, 1, "check.untold.gpu"},
    Check{"C-3", {run}, 1, "check.untold.ten_steps"},
    Check{"C-4", {run}, 1, "check.untold.ten_steps"},
    Check{"C-5", {run}, 1, "check.untold.hundred_steps"},
    Check{"C-6", {doctor}, 1, "check.untold.doctor"},
    Check{"C-7", {run, trace}, 2, "check.untold.gpu_or_trace"},
    Check{"C-8", {run, trace}, 2, ""},
    Check{"C-9", {simulation}, 1, "check.untold.workers"},
    Check{"C-10", {simulation, trace}, 2, "check.untold.ranks"},
    Check{"C-11", {run, sweep}, 2, "check.untold.flash"},
    Check{"C-12", {run}, 1, "check.untold.sixteen_bits"},
    Check{"C-13", {run}, 1, "check.untold.gpu"},
    Check{"C-14", {run}, 1, "check.untold.operators"},
    Check{"C-15", {run}, 1, "check.untold.projections"},
    Check{"C-16", {run, trace, simulation}, 3, "check.untold.gpu_or_trace"},
    Check{"C-17", {sweep}, 1, "check.untold.batches"},
    Check{"C-18", {run, trace}, 2, "check.untold.recorded"},
    Check{"C-19", {run}, 1, "check.untold.gpu"},
    Check{"C-20", {run}, 1, "check.untold.gpu"},
    Check{"C-21", {simulation, trace}, 2, "check.untold.loader"},
    Check{"C-22", {comparison}, 1, "check.untold.comparison"},
    Check{"C-23", {comparison}, 1, "check.untold.comparison"},
    Check{"C-24", {comparison}, 1, "check.untold.comparison"},
    Check{"C-25", {run}, 1, "check.untold.backend"},
    Check{"C-26", {run, kernel}, 2, "check.untold.reference"},
    Check{"C-27", {sweep}, 1, "check.untold.lengths"},
    Check{"C-28", {run}, 1, "check.untold.timed"},
    Check{"C-29", {run}, 1, "check.untold.memory"},
    Check{"C-30", {run}, 1, "check.untold.random_tokens"},
    Check{"C-31", {run}, 1, "check.untold.flops"},
    Check{"C-32", {run}, 1, "check.untold.probes"},
    Check{"C-33", {run}, 1, "check.untold.training"},
    Check{"C-34", {run}, 1, "check.untold.training"},
    Check{"C-35", {run}, 1, "check.untold.traffic"},
};

}  // namespace

const char* to_string(Source source) {
  constexpr std::array<const char*, kSourceCount> kNames = {
      "run", "sweep", "comparison", "trace", "simulation", "doctor", "kernel"};
  return kNames[static_cast<std::size_t>(source)];
}

std::span<const Check> catalogue() {
  return kAll;
}

}  // namespace ts::checks
