#include "core/stepper/checkpoints.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/text/message.h"

namespace ts::stepper {

Checkpoints::Checkpoints(const calculate::Chosen& chosen)
    : layers_(chosen.number("layers")), segment_(std::min(layers_, chosen.number("segment"))) {
  std::vector<Input> inputs(static_cast<std::size_t>(layers_), Input::gone);
  const auto at = [&inputs](std::int64_t layer) -> Input& {
    return inputs[static_cast<std::size_t>(layer)];
  };
  add(Phase::begin, -1, inputs);
  for (std::int64_t layer = 0; layer < layers_; ++layer) {
    if (layer % segment_ == 0) at(layer) = Input::kept;
    add(Phase::forward, layer, inputs);
  }
  for (std::int64_t segment = segments() - 1; segment >= 0; --segment) {
    const std::int64_t first = segment * segment_, end = std::min(layers_, first + segment_);
    for (std::int64_t layer = first; layer < end; ++layer) {
      if (layer > first) at(layer) = Input::recomputed;
      add(Phase::recompute, layer, inputs);
    }
    for (std::int64_t layer = end - 1; layer >= first; --layer) {
      add(Phase::backward, layer, inputs);
      at(layer) = Input::gone;
    }
  }
}

void Checkpoints::add(Phase phase, std::int64_t layer, std::vector<Input>& inputs) {
  const auto gone = std::ranges::count(inputs, Input::gone);
  states_.push_back({phase, layer, inputs, layers_ - gone});
}

std::int64_t Checkpoints::peak() const {
  return std::ranges::max_element(states_, {}, &State::live)->live;
}

std::int64_t Checkpoints::formula() const {
  return segments() + segment_ - 1;
}

std::vector<double> Checkpoints::row(std::size_t step) const {
  const State& now = states_[step];
  const auto count = [&](Input kind) {
    return static_cast<double>(std::ranges::count(now.inputs, kind));
  };
  const double layer = now.phase == Phase::begin ? std::numeric_limits<double>::quiet_NaN()
                                                 : static_cast<double>(now.layer + 1);
  return {layer, count(Input::kept), count(Input::recomputed), static_cast<double>(now.live)};
}

base::Message Checkpoints::said(std::size_t step) const {
  const State& now = states_[step];
  const std::string layer = std::to_string(now.layer + 1);
  switch (now.phase) {
    case Phase::begin:
      return text::message("stepper.said.stack_begin", {{"layers", std::to_string(layers_)},
                                                        {"segments", std::to_string(segments())}});
    case Phase::forward:
      return text::message(
          now.layer % segment_ == 0 ? "stepper.said.stack_kept" : "stepper.said.stack_forward",
          {{"layer", layer}});
    case Phase::recompute:
      return text::message("stepper.said.stack_again", {{"layer", layer}});
    case Phase::backward:
      break;
  }
  return text::message("stepper.said.stack_backward", {{"layer", layer}});
}

std::vector<calculate::Figure> Checkpoints::figures() const {
  return {{"peak_activations", static_cast<double>(peak())},
          {"formula_activations", static_cast<double>(formula())},
          {"all_activations", static_cast<double>(layers_)},
          {"segments", static_cast<double>(segments())},
          {"forward_layers", static_cast<double>(2 * layers_)}};
}

}  // namespace ts::stepper
