// Settings that are open dimensions of a model's file.
#include "core/spec/own_model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/spec/spec_reasons.h"
#include "tests/exported/pt2_bytes.h"
#include "tests/io/temporary_folder.h"

namespace ts::spec {
namespace {

using Json = nlohmann::json;

// x + x with as many dimensions, of sizes 3, 4, ..., of which the first ones are open.
std::string open_pt2(int dimensions, int open) {
  Json json = Json::parse(exported::testing::linear_json());
  Json& module = json["graph_module"];
  Json& graph = module["graph"];
  graph["inputs"].erase(0);
  module["signature"]["input_specs"].erase(0);
  Json& node = graph["nodes"][0];
  node["target"] = "torch.ops.aten.add.Tensor";
  node["inputs"][0]["name"] = "self";
  node["inputs"][1]["name"] = "other";
  node["inputs"][1]["arg"] = node["inputs"][0]["arg"];
  Json sizes = Json::array(), strides = Json::array();
  json["range_constraints"] = Json::object();
  for (int i = 0; i < dimensions; ++i) {
    const std::string name = "s" + std::to_string(i);
    strides.push_back({{"as_int", 1}});
    if (i >= open) {
      sizes.push_back({{"as_int", 3 + i}});
      continue;
    }
    json["range_constraints"][name] = {{"min_val", 2}, {"max_val", 20}};
    sizes.push_back({{"as_expr",
                      {{"expr_str", "Symbol('" + name + "', positive=True, integer=True)"},
                       {"hint", {{"as_int", 3 + i}}}}}});
  }
  graph["tensor_values"].erase("p_w");
  graph["tensor_values"]["x"]["sizes"] = sizes;
  graph["tensor_values"]["x"]["strides"] = strides;
  return exported::testing::zip_of({{"net/models/model.json", json.dump()}});
}

class OwnModelTest : public ::testing::Test {
 protected:
  WorkloadSpec chosen(int dimensions, int open) {
    const auto path = folder_ / "net.pt2";
    io::testing::put(path, open_pt2(dimensions, open));
    WorkloadSpec spec;
    const auto chosen = choose_model(path.string(), spec);
    EXPECT_TRUE(chosen) << chosen.error().sentence;
    return spec;
  }
  static std::string reason(const WorkloadSpec& spec, Field field) {
    const char* const key = reason_not_open(*model_of(spec), field);
    return key != nullptr ? key : "";
  }

 private:
  io::testing::TemporaryFolder folder_;
};

TEST_F(OwnModelTest, SixDimensionsAreOpenAndOthersAreNamed) {
  for (const int open : {5, 6, 7, 9}) {
    WorkloadSpec spec = chosen(9, open);
    EXPECT_EQ(spec.batch, 3);
    EXPECT_EQ(spec.dim1, 4);
    EXPECT_EQ(spec.dim4, 7);
    EXPECT_EQ(reason(spec, Field::T).empty(), open > 5) << "T is the sixth";
    spec.seq_len = 12;
    spec.dim2 = 11;
    const auto values = symbol_values(spec, *model_of(spec));
    EXPECT_EQ(values[2], 11);
    if (open > 5) {
      EXPECT_EQ(values[5], 12);
    }
    EXPECT_EQ(holds_dimensions(spec).empty(), open <= 6);
  }
  EXPECT_EQ(
      holds_dimensions(chosen(9, 8)).sentence,
      "More sizes of net.pt2 are open than there are settings: x[6] = 9, x[7] = 10 stay as they "
      "were exported");
  EXPECT_TRUE(holds_dimensions(WorkloadSpec()).empty());
}

TEST_F(OwnModelTest, SaysWhyADimensionIsNotOpen) {
  const WorkloadSpec spec = chosen(3, 0);
  EXPECT_EQ(reason(spec, Field::B), "field.reason.fixed_in_model");
  EXPECT_EQ(reason(spec, Field::T), "field.reason.fixed_in_model");
  EXPECT_EQ(reason(spec, Field::dim1), "field.reason.no_dimension");
  const WorkloadSpec flat = chosen(2, 1);
  EXPECT_EQ(reason(flat, Field::B), "");
  EXPECT_EQ(reason(flat, Field::T), "field.reason.no_dimension") << "rows of numbers";
  EXPECT_EQ(reason(flat, Field::dim4), "field.reason.no_dimension");
}

}  // namespace
}  // namespace ts::spec
