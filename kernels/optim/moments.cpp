#include "kernels/optim/moments.h"

namespace ts::kernels {

void Moments::make_once(const WideUpdate& update) {
  if (!first.empty()) return;
  for (std::size_t i = 0; i < update.parameters().size(); ++i) {
    first.push_back(update.moment(i));
    second.push_back(update.moment(i));
  }
}

std::vector<at::Tensor> Moments::state(const WideUpdate& update) const {
  std::vector<at::Tensor> state = first;
  state.insert(state.end(), second.begin(), second.end());
  state.insert(state.end(), update.masters().begin(), update.masters().end());
  return state;
}

}  // namespace ts::kernels
