// FLOPs and bytes of the graph of a model from a file, against sums by hand.
#include "core/advice/file_parts.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/advice/advice.h"
#include "core/spec/own_model.h"
#include "tests/exported/pt2_bytes.h"
#include "tests/io/temporary_folder.h"

namespace ts::advice {
namespace {

using Json = nlohmann::json;
using spec::AttentionBackend;
using spec::StepPart;

Json tensor(const std::string& name) {
  return {{"as_tensor", {{"name", name}}}};
}

Json of_sizes(std::initializer_list<Json> sizes) {
  Json strides = Json::array();
  for (std::size_t i = 0; i < sizes.size(); ++i) strides.push_back({{"as_int", 1}});
  return {{"dtype", 7},
          {"sizes", Json(sizes)},
          {"strides", strides},
          {"storage_offset", {{"as_int", 0}}},
          {"requires_grad", false}};
}

class FilePartsTest : public ::testing::Test {
 protected:
  // y = x w^T with x: [B, 2 T, 3] and w: [4, 3], B = 8, T = 3, changed.
  spec::WorkloadSpec chosen(const std::function<void(Json& graph)>& change,
                            bool with_constant = false) {
    Json json = Json::parse(exported::testing::linear_json());
    Json& module = json["graph_module"];
    change(module["graph"]);
    if (with_constant) {
      module["graph"]["inputs"].push_back({{"as_bool", false}});
      module["signature"]["input_specs"].push_back(
          {{"constant_input", {{"name", "cached"}, {"value", {{"as_bool", false}}}}}});
    }
    const auto path = folder_ / ("net" + std::to_string(files_++) + ".pt2").c_str();
    io::testing::put(path, exported::testing::zip_of({{"net/models/model.json", json.dump()}}));
    spec::WorkloadSpec spec;
    const auto done = spec::choose_model(path.string(), spec);
    EXPECT_TRUE(done) << done.error().sentence;
    spec.pass = spec::Pass::forward_backward;
    spec.batch = 8;
    spec.seq_len = 3;
    return spec;
  }
  static Json sizes_of_x(const Json& graph, int last) {
    Json made = graph["tensor_values"]["x"];
    made["sizes"][2] = {{"as_int", last}};
    return made;
  }
  // Another operator on the same two tensors, whose result has the sizes.
  static void replace(Json& graph, const std::string& target, const std::string& first,
                      const std::string& second, const Json& result) {
    Json& node = graph["nodes"][0];
    node["target"] = "torch.ops.aten." + target;
    node["inputs"][0]["name"] = first;
    node["inputs"][1]["name"] = second;
    graph["tensor_values"]["linear"] = result;
  }

 private:
  io::testing::TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(FilePartsTest, ProductHasOneMoreForEachFactorThatNeedsAGradient) {
  for (const bool trained : {true, false}) {
    for (const auto pass : {spec::Pass::forward, spec::Pass::forward_backward}) {
      spec::WorkloadSpec spec = chosen([&](Json& graph) {
        graph["tensor_values"]["linear"] = sizes_of_x(graph, 4);
        graph["tensor_values"]["p_w"]["requires_grad"] = trained;
      });
      spec.pass = pass;
      spec.batch = 5;
      spec.seq_len = 5;
      const auto parts = parts_of_file(spec, AttentionBackend::math);
      ASSERT_EQ(parts.size(), 1);
      const double times = trained && pass == spec::Pass::forward_backward ? 2 : 1;
      EXPECT_EQ(parts[0].kind, StepPart::Kind::products);
      EXPECT_EQ(parts[0].flops, times * 2 * 5 * 10 * 3 * 4);
      EXPECT_EQ(parts[0].bytes, times * 4 * (5 * 10 * 3 + 3 * 4 + 5 * 10 * 4));
    }
  }
}

TEST_F(FilePartsTest, EinsumHasTwiceAllSizesOfItsLetters) {
  const auto spec = chosen([](Json& graph) {
    replace(graph, "einsum.default", "equation", "tensors", sizes_of_x(graph, 4));
    Json& inputs = graph["nodes"][0]["inputs"];
    inputs[0]["arg"] = {{"as_string", "bti,oi->bto"}};
    inputs[1]["arg"] = {{"as_tensors", Json::array({{{"name", "x"}}, {{"name", "p_w"}}})}};
  });
  const auto parts = parts_of_file(spec, AttentionBackend::math);
  ASSERT_EQ(parts.size(), 1);
  EXPECT_EQ(parts[0].flops, 2 * 2 * 8 * 6 * 3 * 4);
}

TEST_F(FilePartsTest, ConvolutionMeetsTheWeightsOfAChannelForEveryNumberOfItsResult) {
  const auto spec = chosen([](Json& graph) {
    replace(graph, "conv1d.default", "input", "weight", of_sizes({{{"as_int", 7}}}));
  });
  const auto parts = parts_of_file(spec, AttentionBackend::math);
  ASSERT_EQ(parts.size(), 1);
  EXPECT_EQ(parts[0].flops, 2 * 2 * 7 * 3);
}

TEST_F(FilePartsTest, AttentionOfFlashSkipsWhatIsMaskedAndStoresNoScores) {
  const auto spec = chosen([](Json& graph) {
    replace(graph, "scaled_dot_product_attention.default", "query", "key", sizes_of_x(graph, 3));
    Json& inputs = graph["nodes"][0]["inputs"];
    inputs[1]["arg"] = tensor("x");
    inputs.push_back({{"name", "value"}, {"arg", tensor("x")}, {"kind", 1}});
    inputs.push_back({{"name", "is_causal"}, {"arg", {{"as_bool", true}}}, {"kind", 1}});
  });
  const auto math = parts_of_file(spec, AttentionBackend::math);
  const auto flash = parts_of_file(spec, AttentionBackend::flash);
  ASSERT_EQ(math.size(), 1);
  ASSERT_EQ(flash.size(), 1);
  EXPECT_EQ(math[0].flops, 2 * 8 * 6 * 6 * 6);
  EXPECT_DOUBLE_EQ(flash[0].flops, math[0].flops * 7 / 12);
  EXPECT_EQ(flash[0].bytes, 4 * 4 * 8 * 6 * 3);
  EXPECT_EQ(math[0].bytes - flash[0].bytes, 4 * 4 * 8 * 6 * 6);
}

TEST_F(FilePartsTest, InputsAndResultsThatAreNoTensorsHaveNoSizes) {
  const auto with_none = [](Json& graph) {
    graph["tensor_values"]["linear"] = sizes_of_x(graph, 4);
    graph["nodes"][0]["outputs"].push_back({{"as_none", true}});
  };
  const auto spec = chosen(with_none, true);
  EXPECT_EQ(parts_of_file(spec, AttentionBackend::math).size(), 1);
}

TEST_F(FilePartsTest, OtherOperatorsHaveNoneAndOwnWorkloadsToo) {
  const auto spec = chosen([](Json& graph) {
    replace(graph, "add.Tensor", "self", "other", sizes_of_x(graph, 4));
    graph["nodes"][0]["outputs"].push_back(
        {{"as_none", true}});  // of several, one that is not used
  });
  EXPECT_TRUE(parts_of_file(spec, AttentionBackend::math).empty());
  EXPECT_TRUE(parts_of_file(spec::WorkloadSpec(), AttentionBackend::math).empty());
  AdviceRequest request;
  request.settings = spec;
  request.roofs = [](spec::DataType) { return report::Roofs{{}, 1, 1}; };
  EXPECT_EQ(AdviceSearch(request).advice().problem.key, "advice.problem.file");
}

TEST_F(FilePartsTest, SettingsOfAFileAreRanked) {
  spec::WorkloadSpec spec =
      chosen([](Json& graph) { graph["tensor_values"]["linear"] = sizes_of_x(graph, 4); });
  spec.pass = spec::Pass::full_step;
  const auto recipes = recipes_of(spec, spec::DeviceKind::cuda, {}, [](spec::DataType type) {
    return report::Roofs{{}, type == spec::DataType::bf16 ? 2.0 : 1.0, 1e6};
  });
  ASSERT_FALSE(recipes.empty());
  EXPECT_EQ(recipes.front().spec.dtype, spec::DataType::bf16);
}

}  // namespace
}  // namespace ts::advice
