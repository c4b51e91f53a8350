// A model of torch.export in the window: opened, its dimensions dragged, run, and what goes wrong.
#include <algorithm>
#include <fstream>

#include "core/spec/own_model.h"
#include "tests/exported/pt2_bytes.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

using exported::testing::zip_of;

class OwnModelInTheWindow : public DrivenWindow {
 protected:
  static std::filesystem::path write_file(const char* name, const std::string& bytes) {
    const auto path = folder() / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static const spec::WorkloadSpec& spec() { return state().history.spec(); }
  static bool opened(ImGuiTestContext* context, const std::filesystem::path& path) {
    return until(context, 20, [&path] { return spec().model == path.string(); });
  }
};

TEST_F(OwnModelInTheWindow, OpensIsDraggedAndRuns) {
  const auto path = write_file("net.pt2", exported::testing::linear_pt2());
  drive([&path](ImGuiTestContext* context) {
    window().open_files({path});
    IM_CHECK(opened(context, path));
    IM_CHECK(spec().workload == spec::WorkloadKind::own_model);
    IM_CHECK_EQ(spec().batch, std::int64_t{8});
    IM_CHECK(state().preferences.recent_files.front() == path.string());
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
    const std::int64_t before = prediction()->run.log.peak_bytes();
    // The slider has the file's range: its right end is the largest batch.
    context->ItemDragWithDelta("//###controls/###slider_B", {400, 0});
    context->Yield(2);
    IM_CHECK_EQ(spec().batch, std::int64_t{64});
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
    IM_CHECK_GT(prediction()->run.log.peak_bytes(), before);
    IM_CHECK(run_to_end(context));
    IM_CHECK(session().run()->verdict == run::Verdict::ok);
    // Settings that the file decides are folded, with that reason.
    IM_CHECK_STR_EQ(spec::field_reason(spec(), spec::Field::d_model).c_str(),
                    "field.reason.in_model_file");
    IM_CHECK(!context->ItemExists("//###controls/###slider_d_model"));
  });
}

// x + x of three open dimensions.
TEST_F(OwnModelInTheWindow, FurtherDimensionsHaveSliders) {
  using Json = nlohmann::json;
  Json json = exported::testing::layers_program(0);
  Json sizes = Json::array(), strides = Json::array();
  for (const char* const name : {"s0", "s1", "s2"}) {
    json["range_constraints"][name] = {{"min_val", 2}, {"max_val", 40}};
    const std::string symbol = "Symbol('" + std::string(name) + "', positive=True, integer=True)";
    sizes.push_back({{"as_expr", {{"expr_str", symbol}, {"hint", {{"as_int", 5}}}}}});
    strides.push_back({{"as_int", 1}});
  }
  Json& graph = json["graph_module"]["graph"];
  for (const char* const name : {"x", "y"}) {
    graph["tensor_values"][name]["sizes"] = sizes;
    graph["tensor_values"][name]["strides"] = strides;
  }
  Json& node = graph["nodes"][0];
  node["target"] = "torch.ops.aten.add.Tensor";
  node["inputs"][0]["name"] = "self";
  node["inputs"][1]["name"] = "other";
  node["inputs"][1]["arg"] = node["inputs"][0]["arg"];
  const auto path = write_file("three.pt2", zip_of({{"net/models/model.json", json.dump()}}));
  drive([&path](ImGuiTestContext* context) {
    window().open_files({path});
    IM_CHECK(opened(context, path));
    IM_CHECK_EQ(spec().dim1, std::int64_t{5});
    context->ItemDragWithDelta("//###controls/###slider_dim1", {400, 0});
    context->Yield(2);
    IM_CHECK_EQ(spec().dim1, std::int64_t{40});
    IM_CHECK(spec::validate(spec()).empty());
  });
}

TEST_F(OwnModelInTheWindow, WhatCannotBeOpenedChangesNothing) {
  const auto bad = write_file("bad.pt2", "this is no model");
  drive([&bad](ImGuiTestContext* context) {
    const spec::WorkloadSpec before = spec();
    window().open_files({bad});
    // Read on another thread: long enough for a file of 16 bytes.
    context->SleepNoSkip(1, 0.05F);
    IM_CHECK(spec() == before);
    const auto& recent = state().preferences.recent_files;
    IM_CHECK(std::ranges::find(recent, bad.string()) == recent.end());
  });
}

// Operators of another library are named where the prediction would be.
TEST_F(OwnModelInTheWindow, UnknownOperatorsAreNamed) {
  std::string json = exported::testing::linear_json();
  const std::string known = "torch.ops.aten.linear.default";
  json.replace(json.find(known), known.size(), "torch.ops.mine.linear.default");
  const auto path = write_file("custom.pt2", zip_of({{"net/models/model.json", json}}));
  drive([&path](ImGuiTestContext* context) {
    window().open_files({path});
    IM_CHECK(opened(context, path));
    IM_CHECK(until(context, 60, [] {
      const predict::Outlook* const found = session().predictions().outlook();
      return found != nullptr && found->spec == spec() && !found->problem.sentence.empty();
    }));
    IM_CHECK(session().predictions().outlook()->problem.sentence.find("torch.ops.mine.linear") !=
             std::string::npos);
  });
}

}  // namespace
}  // namespace ts::app::testing
