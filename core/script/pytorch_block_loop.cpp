#include <string>

#include "core/script/pytorch_lines.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"

namespace ts::script {

std::string pytorch_run_method(const spec::WorkloadSpec& spec) {
  if (spec::checkpointing(spec) != spec::Checkpoint::blocks) return {};
  return R"(
    def run(self, first, x):
        for block in self.blocks[first : first + BLOCKS_TOGETHER]:
            x = block(x, self.rope)
        return x
)";
}

std::string pytorch_block_loop(const spec::WorkloadSpec& spec) {
  const bool frozen = spec::frozen_layers(spec) > 0;
  if (spec::checkpointing(spec) != spec::Checkpoint::blocks) {
    return R"(        for block in self.blocks:
            x = block(x, self.rope)
)";
  }
  std::string lines;
  if (frozen) {
    lines = R"(        for block in self.blocks[:FROZEN_LAYERS]:
            x = block(x, self.rope)
)";
  }
  // Else a checkpoint whose input needs no gradient would give its parameters none.
  const bool adapters_of_images = sees_images(spec) && spec::trains_adapters(spec);
  if (adapters_of_images || (frozen && spec::frozen_layers(spec) < spec.layers))
    lines += "        x.requires_grad_()\n";
  lines += std::string("        for first in range(") + (frozen ? "FROZEN_LAYERS" : "0") +
           ", LAYERS, BLOCKS_TOGETHER):\n";
  return lines + "            x = checkpoint(self.run, first, x, use_reentrant=True)\n";
}

}  // namespace ts::script
