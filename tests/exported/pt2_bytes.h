#pragma once

#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ts::exported::testing {

using Members = std::vector<std::pair<std::string, std::string>>;

inline void put_number(std::string& to, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    to += static_cast<char>(number & 0xFFU);
    number >>= 8;
  }
}

// A ZIP archive with these members, stored.
inline std::string zip_of(const Members& members) {
  std::string file, directory;
  for (const auto& [name, content] : members) {
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    const std::size_t offset = file.size();
    const auto put_sizes = [&](std::string& to) {
      put_number(to, 20, 2);
      put_number(to, 0, 8);  // flags, stored, time, date
      put_number(to, crc, 4);
      put_number(to, content.size(), 4);
      put_number(to, content.size(), 4);
      put_number(to, name.size(), 2);
      put_number(to, 0, 2);
    };
    put_number(file, 0x04034b50, 4);
    put_sizes(file);
    file += name + content;
    put_number(directory, 0x02014b50, 4);
    put_number(directory, 20, 2);
    put_sizes(directory);
    put_number(directory, 0, 10);  // comment, disk, attributes
    put_number(directory, offset, 4);
    directory += name;
  }
  const std::size_t begin = file.size();
  file += directory;
  put_number(file, 0x06054b50, 4);
  put_number(file, 0, 4);
  put_number(file, members.size(), 2);
  put_number(file, members.size(), 2);
  put_number(file, directory.size(), 4);
  put_number(file, begin, 4);
  put_number(file, 0, 2);
  return file;
}

// y = x w^T, x: [s0, 2 s1, 3], w: [4, 3], as torch.export writes it.
inline std::string linear_json() {
  return R"json({"schema_version": {"major": 8, "minor": 17}, "torch_version": "2.11.0",
  "range_constraints": {"s0": {"min_val": 1, "max_val": 64}, "2*s1": {"min_val": 0, "max_val": 32},
                        "s1": {"min_val": 2, "max_val": 16}},
  "graph_module": {"graph": {
    "inputs": [{"as_tensor": {"name": "p_w"}}, {"as_tensor": {"name": "x"}}],
    "outputs": [{"as_tensor": {"name": "linear"}}],
    "nodes": [{"target": "torch.ops.aten.linear.default", "inputs": [
        {"name": "input", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
        {"name": "weight", "arg": {"as_tensor": {"name": "p_w"}}, "kind": 1}],
      "outputs": [{"as_tensor": {"name": "linear"}}],
      "metadata": {"nn_module_stack": "L__self__,,__main__.Net;L__self__fc,fc,torch.nn.Linear",
        "stack_trace": "File \"project/model.py\", line 61, in forward\n  y = self.fc(x)\n  File \"/x/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n    return"}}],
    "tensor_values": {
      "p_w": {"dtype": 7, "sizes": [{"as_int": 4}, {"as_int": 3}], "requires_grad": true,
        "strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0}},
      "x": {"dtype": 7, "sizes": [
          {"as_expr": {"expr_str": "Symbol('s0', positive=True, integer=True)", "hint": {"as_int": 8}}},
          {"as_expr": {"expr_str": "Mul(Integer(2), Symbol('s1', positive=True, integer=True))", "hint": {"as_int": 6}}},
          {"as_int": 3}],
        "requires_grad": false, "strides": [{"as_int": 18}, {"as_int": 3}, {"as_int": 1}],
        "storage_offset": {"as_int": 0}}},
    "sym_int_values": {}, "sym_bool_values": {}},
   "signature": {"input_specs": [
      {"parameter": {"arg": {"name": "p_w"}, "parameter_name": "fc.weight"}},
      {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
     "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "linear"}}}}]}}})json";
}

// x + linear(x) `layers` times in a list of modules, then a linear head: [s0, 3] to [s0, 4]. Nodes
// 2 i and 2 i + 1 are the module layers.i.
inline nlohmann::json layers_program(int layers) {
  using Json = nlohmann::json;
  const auto tensor = [](const std::string& name) -> Json {
    return {{"as_tensor", {{"name", name}}}};
  };
  const auto whole = [](int number) -> Json { return {{"as_int", number}}; };
  const Json batch = {
      {"as_expr",
       {{"expr_str", "Symbol('s0', positive=True, integer=True)"}, {"hint", {{"as_int", 8}}}}}};
  const auto meta = [&](const Json& rows, int columns, bool trained) -> Json {
    return {{"dtype", 7},
            {"sizes", Json::array({rows, whole(columns)})},
            {"strides", Json::array({whole(columns), whole(1)})},
            {"storage_offset", whole(0)},
            {"requires_grad", trained}};
  };
  const auto node = [&](const std::string& target, const std::string& to, const std::string& path,
                        const std::vector<std::pair<std::string, std::string>>& inputs) -> Json {
    Json arguments = Json::array();
    for (const auto& [name, value] : inputs) {
      arguments.push_back({{"name", name}, {"arg", tensor(value)}, {"kind", 1}});
    }
    return {{"target", target},
            {"inputs", arguments},
            {"outputs", Json::array({tensor(to)})},
            {"metadata",
             {{"nn_module_stack", "L,,__main__.Net;M," + path + ",__main__.Block"},
              {"stack_trace", "File \"model.py\", line 7, in forward"}}}};
  };
  Json inputs = Json::array(), specs = Json::array(), nodes = Json::array(), metas;
  const auto parameter = [&](const std::string& name, const std::string& path, int rows) {
    inputs.push_back(tensor(name));
    specs.push_back({{"parameter", {{"arg", {{"name", name}}}, {"parameter_name", path}}}});
    metas[name] = meta(whole(rows), 3, true);
  };
  std::string x = "x";
  for (int i = 0; i < layers; ++i) {
    const std::string number = std::to_string(i);
    const std::string path = "layers." + number, w = "w_" + number;
    const std::string product = "linear_" + number, sum = "add_" + number;
    parameter(w, path + ".weight", 3);
    nodes.push_back(
        node("torch.ops.aten.linear.default", product, path, {{"input", x}, {"weight", w}}));
    nodes.push_back(
        node("torch.ops.aten.add.Tensor", sum, path, {{"self", x}, {"other", product}}));
    metas[product] = metas[sum] = meta(batch, 3, false);
    x = sum;
  }
  parameter("head", "head.weight", 4);
  nodes.push_back(
      node("torch.ops.aten.linear.default", "y", "head", {{"input", x}, {"weight", "head"}}));
  metas["x"] = meta(batch, 3, false);
  metas["y"] = meta(batch, 4, false);
  inputs.push_back(tensor("x"));
  specs.push_back({{"user_input", {{"arg", tensor("x")}}}});
  const Json output = {{"user_output", {{"arg", tensor("y")}}}};
  return {{"schema_version", {{"major", 8}, {"minor", 17}}},
          {"torch_version", "2.11.0"},
          {"range_constraints", {{"s0", {{"min_val", 1}, {"max_val", 64}}}}},
          {"graph_module",
           {{"graph",
             {{"inputs", inputs},
              {"outputs", Json::array({tensor("y")})},
              {"nodes", nodes},
              {"tensor_values", metas},
              {"sym_int_values", Json::object()},
              {"sym_bool_values", Json::object()}}},
            {"signature", {{"input_specs", specs}, {"output_specs", Json::array({output})}}}}}};
}

inline std::string layers_pt2(int layers) {
  return zip_of({{"net/models/model.json", layers_program(layers).dump()}});
}

// x + x, without a parameter.
inline std::string bare_pt2() {
  nlohmann::json json = layers_program(0);
  nlohmann::json& graph = json["graph_module"]["graph"];
  graph["inputs"].erase(0);
  json["graph_module"]["signature"]["input_specs"].erase(0);
  graph["tensor_values"].erase("head");
  graph["tensor_values"]["y"] = graph["tensor_values"]["x"];
  nlohmann::json& node = graph["nodes"][0];
  node["target"] = "torch.ops.aten.add.Tensor";
  node["inputs"][0]["name"] = "self";
  node["inputs"][1]["name"] = "other";
  node["inputs"][1]["arg"] = node["inputs"][0]["arg"];
  return zip_of({{"net/models/model.json", json.dump()}});
}

inline std::string weights_json() {
  return R"json({"config": {"fc.weight": {"path_name": "weight_0", "is_param": true, "use_pickle": false,
    "tensor_meta": {"dtype": 7, "sizes": [{"as_int": 4}, {"as_int": 3}], "requires_grad": true,
      "strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0}}}}})json";
}

inline std::string linear_pt2() {
  return zip_of({{"net/models/model.json", linear_json()},
                 {"net/data/weights/model_weights_config.json", weights_json()},
                 {"net/data/weights/weight_0", std::string(48, '\0')}});
}

}  // namespace ts::exported::testing
