// Programs cut down to a few of their repeated modules.
#include "core/exported/repeated_modules.h"

#include <gtest/gtest.h>

#include <set>

#include "core/exported/model_file.h"
#include "tests/exported/made_program.h"
#include "tests/exported/pt2_bytes.h"

namespace ts::exported {
namespace {

using Json = nlohmann::json;
using testing::layers_program;
using testing::program_of;

constexpr int kLayers = 9;

// Every value is an input or computed before it is used.
void expect_sound(const Program& program) {
  const Graph& graph = program.graphs.front();
  std::set<Slot> known(graph.inputs.begin(), graph.inputs.end());
  for (const Node& node : graph.nodes) {
    for (const NamedArgument& input : node.inputs) {
      visit_slots(input.value, [&](Slot slot) { EXPECT_TRUE(known.contains(slot)) << slot; });
    }
    for (const Output& output : node.outputs) {
      known.insert(output.slots.begin(), output.slots.end());
    }
  }
  for (const Slot slot : program.outputs) EXPECT_TRUE(known.contains(slot));
  for (const Input& input : program.inputs) EXPECT_TRUE(known.contains(input.slot));
}

TEST(RepeatedModules, AreCutDownToFour) {
  const Program program = program_of(layers_program(kLayers));
  const auto cut = shorten(program);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->repetition.prefix, "layers.");
  EXPECT_EQ(cut->repetition.count, kLayers);
  EXPECT_EQ(cut->program.graphs.front().nodes.size(), 2U * kKeptModules + 1);
  ASSERT_EQ(cut->program.inputs.size(), kKeptModules + 2U);
  EXPECT_EQ(cut->program.inputs[kKeptModules - 1].name, "layers.3.weight");
  EXPECT_EQ(cut->program.inputs[kKeptModules - 1].slot, program.inputs[kLayers - 1].slot)
      << "the last one keeps its own weights";
  expect_sound(cut->program);
  // The value of the last but one is let go of after the last has used the third's.
  for (const Node& node : cut->program.graphs.front().nodes) EXPECT_FALSE(node.last_uses.empty());
}

TEST(RepeatedModules, FewOrDifferentOnesStay) {
  EXPECT_FALSE(shorten(program_of(layers_program(5))));
  EXPECT_TRUE(shorten(program_of(layers_program(6))));
  const auto changed = [](const auto& change) {
    Json json = layers_program(kLayers);
    change(json.at("graph_module").at("graph"));
    return shorten(program_of(json)).has_value();
  };
  const auto subtracts = [](int node) {
    return [node](Json& graph) { graph["nodes"][node]["target"] = "torch.ops.aten.sub.Tensor"; };
  };
  EXPECT_TRUE(changed(subtracts(1))) << "the first may be different";
  EXPECT_FALSE(changed(subtracts(11)));
  EXPECT_FALSE(changed([](Json& graph) {
    graph["nodes"][10]["metadata"]["stack_trace"] = "File \"other.py\", line 7, in forward";
  })) << "another line";
  EXPECT_FALSE(changed([](Json& graph) {
    graph["tensor_values"]["w_5"]["sizes"][0]["as_int"] = 2;
  })) << "another size";
  EXPECT_FALSE(changed([](Json& graph) {
    graph["nodes"][2 * kLayers]["inputs"][0]["arg"]["as_tensor"]["name"] = "add_4";
  })) << "the head uses a value from inside";
  EXPECT_FALSE(changed([](Json& graph) {
    graph["nodes"][2 * kLayers - 1]["inputs"][0]["arg"]["as_tensor"]["name"] = "add_4";
  })) << "the last uses more than its neighbour";
}

TEST(RepeatedModules, TheModelOfAFileHasASample) {
  const auto read = ModelFile::of_bytes(testing::layers_pt2(kLayers), "net.pt2");
  ASSERT_TRUE(read) << read.error().sentence;
  const ModelFile& model = **read;
  ASSERT_NE(model.sample(), nullptr);
  EXPECT_EQ(model.repetition().count, kLayers);
  EXPECT_EQ(model.parameter_count(), kLayers * 9 + 12);
  EXPECT_EQ(model.sample()->parameter_count(), kKeptModules * 9 + 12);
  ASSERT_EQ(model.sample()->dimensions().size(), 1U);
  EXPECT_EQ(model.sample()->dimensions()[0].label, "x[0]");
}

}  // namespace
}  // namespace ts::exported
