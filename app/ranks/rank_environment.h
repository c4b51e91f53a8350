#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/run/world.h"

namespace ts::app {

// Between our launcher and rank 0: the descriptor of the socket on which the ranks meet.
inline constexpr const char* kListenVariable = "TENSORSCOPE_LISTEN_FD";
// Between our launcher and all ranks: its process id, or that it is on another machine. A rank
// without its launcher ends.
inline constexpr const char* kLauncherVariable = "TENSORSCOPE_LAUNCHER";
inline constexpr const char* kBySsh = "ssh";

// A variable of the environment; empty where it is not set.
using Variables = std::function<std::string(const char* name)>;
Variables variables_of_process();

// The place of this process as its launcher says: ours and torchrun (RANK, WORLD_SIZE, MASTER_ADDR,
// MASTER_PORT), Open MPI, MPICH and Intel MPI, Slurm. The last three say neither where rank 0 is
// nor a port: MASTER_ADDR and MASTER_PORT do, else this machine if all ranks are on it, the first
// host of Slurm's list, and port 29500. An error if nobody says which rank this is, or says
// nonsense.
base::Result<run::RankPlace> place_from(const Variables& variables);

// The first host of a list of Slurm's: "node[03-12,20],gpu1" is "node03".
std::string first_host(const std::string& list);

}  // namespace ts::app
