#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "kernels/ranks/rank_group.h"
#include "kernels/ranks/watched_backend.h"

namespace ts::kernels {

// Private to this folder: these headers take seconds to compile.
struct RankGroup::Handles {
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<WatchedBackend> backend;
  c10::intrusive_ptr<c10d::ProcessGroup> group;
};

}  // namespace ts::kernels
