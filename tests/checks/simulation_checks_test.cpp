#include "core/checks/simulation_checks.h"

#include <gtest/gtest.h>

namespace ts::checks {
namespace {

using report::CheckState;

CheckState state(const char* id, std::initializer_list<const char*> settings,
                 std::string_view check) {
  const simulate::Simulation& simulation = **simulate::simulation_from(id);
  calculate::Chosen chosen(simulation.id, simulation.inputs);
  for (const char* setting : settings) EXPECT_TRUE(chosen.set(setting)) << setting;
  for (const auto& one : of_simulation(simulation, chosen, simulation.run(chosen))) {
    if (one.id == check) return one.state;
  }
  return CheckState::unknown;
}

// 50 ms of reading for a step of 20 ms: three workers keep up.
TEST(SimulationChecks, WorkersAreBoundedByCoresAndByTheBest) {
  EXPECT_EQ(state("loader", {"workers=3"}, "C-9"), CheckState::passed);
  EXPECT_EQ(state("loader", {"workers=2"}, "C-9"), CheckState::failed) << "too few";
  EXPECT_EQ(state("loader", {"workers=8"}, "C-9"), CheckState::passed);
  EXPECT_EQ(state("loader", {"workers=9"}, "C-9"), CheckState::failed) << "more than 8";
  EXPECT_EQ(state("loader", {"workers=3", "cores=4"}, "C-9"), CheckState::failed) << "of 4 cores";
}

// With one worker each step of 15 ms waits until the next batch is read, 50 ms after the last.
TEST(SimulationChecks, StepsWaitForTheLoader) {
  EXPECT_EQ(state("loader", {"workers=1"}, "C-21"), CheckState::failed);
  EXPECT_EQ(state("loader", {"workers=8", "copy_ms=1", "step_ms=40"}, "C-21"), CheckState::passed);
}

TEST(SimulationChecks, CommunicationIsAShareOfTheStep) {
  EXPECT_EQ(state("data_parallel", {"ranks=8"}, "C-10"), CheckState::passed);
  EXPECT_EQ(state("data_parallel", {"ranks=8"}, "C-16"), CheckState::passed);
  EXPECT_EQ(state("data_parallel", {"ranks=512", "hierarchical=0", "link_gbs=1"}, "C-10"),
            CheckState::failed);
  EXPECT_EQ(state("data_parallel", {"ranks=512", "hierarchical=0", "link_gbs=1"}, "C-16"),
            CheckState::failed);
  EXPECT_EQ(state("data_parallel", {"ranks=1"}, "C-10"), CheckState::unknown)
      << "nothing to exchange";
}

}  // namespace
}  // namespace ts::checks
