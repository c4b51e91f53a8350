// Files of torch.export: what is read of them, and a sentence for every damage.
#include <gtest/gtest.h>

#include <string>

#include "core/exported/model_file.h"
#include "tests/exported/pt2_bytes.h"

namespace ts::exported {
namespace {

using testing::linear_json;
using testing::linear_pt2;
using testing::zip_of;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string sentence_for(const std::string& json) {
  const auto model = ModelFile::of_bytes(zip_of({{"net/models/model.json", json}}), "net.pt2");
  return model ? "" : model.error().sentence;
}

TEST(ModelFile, HasGraphWeightsAndPlaces) {
  const auto read = ModelFile::of_bytes(linear_pt2(), "net.pt2");
  ASSERT_TRUE(read) << read.error().sentence;
  const ModelFile& model = **read;
  EXPECT_EQ(model.parameter_count(), 12);
  EXPECT_EQ(model.program().class_name, "Net");
  ASSERT_EQ(model.program().graphs.front().nodes.size(), 1U);
  const Node& node = model.program().graphs.front().nodes.front();
  EXPECT_EQ(node.target, "torch.ops.aten.linear.default");
  const Place& place = model.program().places[node.place];
  EXPECT_EQ(place.source, "model.py:61") << "the last line that is not PyTorch's own";
  EXPECT_EQ(model.program().modules[place.modules.back()].path, "fc");
  EXPECT_EQ(node.last_uses.size(), 2U);
  ASSERT_NE(model.stored(model.program().inputs[0]), nullptr);
  EXPECT_EQ(model.stored(model.program().inputs[0])->size, 48U);
}

TEST(ModelFile, OpenDimensionsAreBatchAndSequence) {
  const auto read = ModelFile::of_bytes(linear_pt2(), "net.pt2");
  ASSERT_TRUE(read);
  const ModelFile& model = **read;
  ASSERT_EQ(model.dimensions().size(), 2U);
  ASSERT_EQ(model.batch(), 0U);
  ASSERT_EQ(model.sequence(), 1U);
  EXPECT_EQ(model.dimensions()[0].label, "x[0]");
  EXPECT_EQ(model.dimensions()[0].max, 64);
  EXPECT_EQ(model.dimensions()[0].example, 8);
  EXPECT_EQ(model.dimensions()[1].label, "x[1] / 2") << "it is twice the symbol";
  EXPECT_EQ(model.dimensions()[1].min, 2);
  std::vector<std::int64_t> symbols(2);
  symbols[model.dimensions()[0].symbol] = 5;
  symbols[model.dimensions()[1].symbol] = 7;
  const TensorMeta& x = model.program().meta_of(model.program().inputs[1]);
  EXPECT_EQ(model.program().size_of(x.sizes[0], symbols), 5);
  EXPECT_EQ(model.program().size_of(x.sizes[1], symbols), 14) << "an expression of the symbol";
}

TEST(ModelFile, ASymbolIsNamedByTheSizeThatIsMadeOfIt) {
  const auto label = [](const std::string& expression) {
    const std::string twice = "Mul(Integer(2), Symbol('s1', positive=True, integer=True))";
    const auto read = ModelFile::of_bytes(
        zip_of({{"net/models/model.json", replaced(linear_json(), twice, expression)}}), "net.pt2");
    return read ? (*read)->dimensions()[1].label : read.error().sentence;
  };
  const std::string s1 = "Symbol('s1', positive=True, integer=True)";
  EXPECT_EQ(label(s1), "x[1]");
  EXPECT_EQ(label("Add(" + s1 + ", Integer(3))"), "x[1] - 3");
  EXPECT_EQ(label("Add(" + s1 + ", Integer(-3))"), "x[1] + 3");
  EXPECT_EQ(label("Add(Mul(Integer(4), " + s1 + "), Integer(1))"), "(x[1] - 1) / 4");
  EXPECT_EQ(label("Mul(" + s1 + ", " + s1 + ")"), "a symbol in x[1]");
}

// Tensors without numbers are initialised, which the program says.
TEST(ModelFile, CountsWhatHasNoNumbers) {
  const auto whole = ModelFile::of_bytes(linear_pt2(), "net.pt2");
  ASSERT_TRUE(whole);
  EXPECT_EQ((*whole)->holds().all, 1U);
  EXPECT_EQ((*whole)->holds().without_numbers, 0U);
  const auto bare =
      ModelFile::of_bytes(zip_of({{"net/models/model.json", linear_json()}}), "net.pt2");
  ASSERT_TRUE(bare);
  EXPECT_EQ((*bare)->holds().all, 1U);
  EXPECT_EQ((*bare)->holds().without_numbers, 1U);
}

TEST(ModelFile, DamageHasASentence) {
  EXPECT_NE(sentence_for("{").find("net.pt2"), std::string::npos);
  EXPECT_NE(sentence_for(replaced(linear_json(), "\"major\": 8", "\"major\": 9")).find("version 9"),
            std::string::npos);
  EXPECT_NE(sentence_for(replaced(linear_json(), "\"arg\": {\"as_tensor\": {\"name\": \"x\"}}",
                                  "\"arg\": {\"as_tensor\": {\"name\": \"linear\"}}"))
                .find("nothing computes"),
            std::string::npos)
      << "a node that uses its own result";
  EXPECT_NE(
      sentence_for(replaced(linear_json(), "{\"as_int\": 4}", "{\"as_int\": 4611686018427387904}"))
          .find("fc.weight"),
      std::string::npos);
  EXPECT_NE(sentence_for(replaced(linear_json(), "{\"as_int\": 4}", "{\"as_int\": 1e300}")), "");
  EXPECT_NE(sentence_for(replaced(linear_json(), "\"nodes\"", "\"knots\"")).find("nodes"),
            std::string::npos);
  EXPECT_NE(sentence_for(std::string(200'000, '[')), "") << "deep nesting";
  EXPECT_NE(sentence_for(replaced(linear_json(), "\"min_val\": 1, \"max_val\": 64",
                                  "\"min_val\": -5, \"max_val\": -1"))
                .find("the range of s0 has no size"),
            std::string::npos);
}

TEST(ModelFile, WhatIsNoModelHasASentence) {
  const auto sentence = [](std::string bytes) {
    const auto model = ModelFile::of_bytes(std::move(bytes), "net.pt2");
    return model ? std::string() : model.error().sentence;
  };
  EXPECT_NE(sentence("hello").find("no ZIP archive"), std::string::npos);
  EXPECT_NE(sentence("").find("no ZIP archive"), std::string::npos);
  EXPECT_NE(sentence(zip_of({{"net/readme.txt", "hello"}})).find("no graph"), std::string::npos);
  EXPECT_NE(sentence(zip_of({{"serialized_exported_program.json", "{}"}})).find("earlier"),
            std::string::npos);
  // Deep folders and names that lead out of the archive are names only.
  EXPECT_NE(sentence(zip_of({{"../../models/model.json", linear_json()}})).find("no graph"),
            std::string::npos);
  EXPECT_NE(sentence(linear_pt2().substr(0, linear_pt2().size() - 30)), "");
}

TEST(ModelFile, AMissingFileHasASentence) {
  const auto model = open_model("/nowhere/net.pt2");
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().sentence.find("/nowhere/net.pt2"), std::string::npos);
}

TEST(Expressions, ComputeOrSayNothing) {
  const auto symbol = [](std::string_view name) -> std::optional<std::uint32_t> {
    if (name == "s0") return 0U;
    return std::nullopt;
  };
  const auto value = [&](std::string_view text, std::int64_t of) -> std::optional<std::int64_t> {
    const auto parsed = Expression::parse(text, symbol);
    return parsed ? parsed->value(std::vector<std::int64_t>{of}) : std::nullopt;
  };
  const std::string s0 = "Symbol('s0', positive=True, integer=True)";
  EXPECT_EQ(value("Add(Mul(Integer(4), " + s0 + "), Integer(-1))", 5), 19);
  EXPECT_EQ(value("Mul(Rational(1, 2), " + s0 + ")", 6), 3);
  EXPECT_EQ(value("Mul(Rational(1, 2), " + s0 + ")", 7), std::nullopt);
  EXPECT_EQ(value("torch.utils._sympy.functions.FloorDiv(" + s0 + ", Integer(2))", 7), 3);
  EXPECT_EQ(value("Mod(" + s0 + ", Integer(4))", 7), 3);
  EXPECT_EQ(value("Pow(" + s0 + ", Integer(2))", 9), 81);
  EXPECT_EQ(value("Max(Integer(1), " + s0 + ")", 0), 1);
  EXPECT_EQ(value("FloorDiv(Integer(1), " + s0 + ")", 0), std::nullopt);
  EXPECT_EQ(value("Pow(" + s0 + ", Integer(60))", 1'000'000), std::nullopt) << "beyond 64 bits";
  EXPECT_FALSE(Expression::parse("Symbol('other')", symbol));
  EXPECT_FALSE(Expression::parse("__import__('os')", symbol));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "Add(";
  EXPECT_FALSE(Expression::parse(deep, symbol));
}

}  // namespace
}  // namespace ts::exported
