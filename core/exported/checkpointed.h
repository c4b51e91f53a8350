#pragma once

#include <optional>
#include <string>

#include "core/exported/program.h"

namespace ts::exported {

struct CheckpointedProgram {
  Program program;
  std::string prefix;  // of the list: "model.layers."
};

// The program with each module of a list as a part that its backward computes again, as
// torch.utils.checkpoint does it: a node tag_activation_checkpoint with the module's nodes as its
// graph. The list is the longest one of at least two whose modules each give one tensor to what
// follows, change no buffer and draw no random numbers; nothing where there is none.
std::optional<CheckpointedProgram> checkpointed(const Program& program);

}  // namespace ts::exported
