#include "core/stepper/tile_budget.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/calculate/calculator.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::stepper {

TileSizes tile_sizes(const calculate::Chosen& chosen) {
  return {.d_head = chosen.number("d_head"),
          .block_q = chosen.number("block_q"),
          .block_k = chosen.number("block_k"),
          .element_bytes = chosen.number("element_bytes"),
          .stages = chosen.number("stages")};
}

SharedMemory shared_memory(const TileSizes& sizes) {
  calculate::Values values(**calculate::calculator_from("tile_memory"));
  for (const auto& [name, number] : {std::pair{"stages", sizes.stages},
                                     {"element_bytes", sizes.element_bytes},
                                     {"d_head", sizes.d_head},
                                     {"block_q", sizes.block_q},
                                     {"block_k", sizes.block_k}}) {
    (void)values.set(name, std::to_string(number));
  }
  const std::vector<double> terms = values.terms();
  return {.tiles = std::llround(terms[0]), .scores = std::llround(terms[1])};
}

std::optional<TileSizes> shrunk_to(std::int64_t limit, const TileSizes& sizes) {
  TileSizes tried = sizes;
  while (shared_memory(tried).all() > limit) {
    std::int64_t& larger = tried.block_q > tried.block_k ? tried.block_q : tried.block_k;
    if (tried.stages > 1) {
      --tried.stages;
    } else if (larger > kLeastTile) {
      larger = std::max(kLeastTile, larger / 2);
    } else {
      return std::nullopt;
    }
  }
  return tried;
}

TileFit fit_of(const std::string& card, std::optional<std::int64_t> limit, const TileSizes& sizes) {
  TileFit fit;
  fit.used = shared_memory(sizes).all();
  if (!limit) {
    fit.said = text::message("stepper.no_limit", {{"gpu", card}});
    return fit;
  }
  fit.limit = *limit;
  fit.fits = fit.used <= *limit;
  const std::string used = text::grouped(fit.used), most = text::grouped(*limit);
  const auto smaller = shrunk_to(*limit, sizes);
  if (fit.fits) {
    fit.said = text::message("stepper.fits", {{"gpu", card}, {"used", used}, {"limit", most}});
  } else if (!smaller) {
    fit.said =
        text::message("stepper.nothing_fits", {{"gpu", card}, {"used", used}, {"limit", most}});
  } else {
    fit.said = text::message("stepper.too_large", {{"gpu", card},
                                                   {"used", used},
                                                   {"limit", most},
                                                   {"q", std::to_string(smaller->block_q)},
                                                   {"k", std::to_string(smaller->block_k)},
                                                   {"stages", std::to_string(smaller->stages)}});
  }
  return fit;
}

}  // namespace ts::stepper
