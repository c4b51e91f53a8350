#pragma once

#include <optional>
#include <string>

#include "core/exported/program.h"

namespace ts::exported {

// The list of modules that can be checkpointed: the longest one of at least two whose modules each
// give one tensor to what follows, change no buffer and draw no random numbers. Its prefix, empty
// where there is none.
std::string checkpointed_list(const Program& program);

// The program with each module of that list as a part that its backward computes again, as
// torch.utils.checkpoint does it: a node tag_activation_checkpoint with the module's nodes as its
// graph. Nothing where the list has other modules than checkpointed_list() wants.
std::optional<Program> checkpointed(const Program& program, const std::string& prefix);

}  // namespace ts::exported
