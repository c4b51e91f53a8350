#include "core/calculate/calculation_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace ts::calculate {

nlohmann::json to_json(const Values& values) {
  using Json = nlohmann::json;
  const Calculator& calculator = values.calculator();
  Json inputs = Json::object();
  for (std::size_t i = 0; i < calculator.inputs.size(); ++i)
    inputs[calculator.inputs[i].name] = values.of(i);
  Json terms = Json::array();
  const std::vector<double> results = values.terms();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Term& term = calculator.terms[i];
    terms.push_back({{"name", term.name},
                     {"formula", term.formula},
                     {"value", std::isfinite(results[i]) ? Json(results[i]) : Json(nullptr)},
                     {"unit", to_string(term.unit)}});
  }
  return {{"calculator", calculator.id},
          {"source", calculator.source},
          {"inputs", std::move(inputs)},
          {"terms", std::move(terms)}};
}

}  // namespace ts::calculate
