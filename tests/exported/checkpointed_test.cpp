// Repeated modules as parts that the backward computes again.
#include "core/exported/checkpointed.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/exported/model_file.h"
#include "core/exported/repeated_modules.h"
#include "tests/exported/made_program.h"
#include "tests/exported/pt2_bytes.h"

namespace ts::exported {
namespace {

using Json = nlohmann::json;
using testing::layers_program;

constexpr int kModules = 3;

// Every value of a graph is an input or computed before it is used.
void expect_sound_graph(const Graph& graph) {
  std::set<Slot> known(graph.inputs.begin(), graph.inputs.end());
  const auto use = [&](Slot slot) { EXPECT_TRUE(slot == kNone || known.contains(slot)) << slot; };
  for (const Node& node : graph.nodes) {
    for (const NamedArgument& input : node.inputs) visit_slots(input.value, use);
    for (const Output& output : node.outputs)
      known.insert(output.slots.begin(), output.slots.end());
  }
  for (const Argument& output : graph.outputs) visit_slots(output, use);
}

// The prefix of the list; empty where there is none.
std::string list_of(const Program& program) {
  const auto made = checkpointed(program);
  return made ? made->prefix : std::string();
}

TEST(Checkpointed, EachModuleIsAPart) {
  const Program program = testing::program_of(layers_program(kModules));
  EXPECT_EQ(list_of(program), "layers.");
  const auto whole = checkpointed(program);
  ASSERT_TRUE(whole);
  const Program* const made = &whole->program;
  const std::size_t before = program.graphs.size();
  ASSERT_EQ(made->graphs.size(), before + kModules);
  std::size_t nodes = 0;
  for (const Graph& graph : made->graphs) {
    expect_sound_graph(graph);
    nodes += graph.nodes.size();
  }
  EXPECT_EQ(nodes, program.graphs.front().nodes.size() + kModules) << "and one for each part";
  for (std::size_t i = before; i < made->graphs.size(); ++i) {
    EXPECT_EQ(made->graphs[i].outputs.size(), 1U);
    for (const Node& node : made->graphs[i].nodes) {
      const Place& place = made->places[node.place];
      ASSERT_FALSE(place.modules.empty());
      EXPECT_EQ(made->modules[place.modules.front()].path, "layers." + std::to_string(i - before))
          << "the modules around the list are not opened again";
    }
  }
  EXPECT_EQ(made->outputs, program.outputs);
}

TEST(Checkpointed, OtherListsStay) {
  const auto list = [](const auto& change) {
    Json json = layers_program(kModules);
    change(json.at("graph_module").at("graph"));
    return list_of(testing::program_of(json));
  };
  EXPECT_EQ(list([](Json&) {}), "layers.");
  EXPECT_EQ(list([](Json& graph) {
              graph["nodes"][2 * kModules]["inputs"][0]["arg"]["as_tensor"]["name"] = "add_0";
            }),
            "")
      << "two values leave the first, or none the last";
  EXPECT_EQ(
      list([](Json& graph) { graph["nodes"][1]["target"] = "torch.ops.aten.dropout.default"; }), "")
      << "random numbers";
  EXPECT_EQ(list_of(testing::program_of(layers_program(1))), "");
}

TEST(Checkpointed, TheSampleOfAFileHasPartsToo) {
  const auto read = ModelFile::of_bytes(testing::layers_pt2(9), "net.pt2");
  ASSERT_TRUE(read) << read.error().sentence;
  const auto model = (*read)->checkpointed();
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model, (*read)->checkpointed()) << "made once";
  EXPECT_EQ(model->parameter_count(), (*read)->parameter_count());
  ASSERT_NE(model->sample(), nullptr);
  EXPECT_EQ(model->repetition().count, 9);
  EXPECT_EQ(model->sample()->program().graphs.size(), 1U + kKeptModules);
}

}  // namespace
}  // namespace ts::exported
