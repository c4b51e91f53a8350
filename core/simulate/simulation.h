#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/calculate/figure.h"
#include "core/calculate/inputs.h"
#include "core/trace_file/trace_file.h"

namespace ts::simulate {

// The text of its label is "simulate.term.NAME".
using calculate::Figure;

// The occupation of a lane for a time. Times are seconds since the begin of the simulation.
struct Interval {
  enum class Kind : std::uint8_t { compute, communication, waiting };
  std::size_t lane = 0;  // of Outcome::lanes
  std::string name;
  double begin = 0;
  double end = 0;
  Kind kind = Kind::compute;
};

// "rank 3" has the lanes "compute" and "communication".
struct Lane {
  std::string process;
  std::string name;
};

struct Outcome {
  std::vector<Figure> figures;
  std::vector<Lane> lanes;
  std::vector<Interval> timeline;
  [[nodiscard]] double value(std::string_view figure) const;  // of one that there is
};

// A computation from stated constants, of machines that need not be there. The texts of its title
// and of what it assumes are "simulate.title.ID" and "simulate.about.ID".
struct Simulation {
  const char* id;
  std::vector<calculate::Input> inputs;
  Outcome (*run)(const calculate::Chosen& chosen);  // null: what is measured instead (core/loader)
};

std::span<const Simulation> simulations();
// An error lists the known ones.
base::Result<const Simulation*> simulation_from(std::string_view id);
base::Result<const Simulation*> one_of(std::span<const Simulation> known, std::string_view id);

// The timeline as a trace that the program and others open. A file of it has this as metadata.
inline constexpr const char* kTraceMetadata = R"({"simulated":true})";
// `what` stands behind the name of each process.
trace_file::TraceFile trace_of(const Outcome& outcome, std::string_view what = " (simulated)");

// One for each file of this folder.
Simulation data_parallel();
Simulation pipeline();
Simulation loader();

}  // namespace ts::simulate
