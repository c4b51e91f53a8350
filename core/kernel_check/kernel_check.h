#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/message.h"
#include "core/base/result.h"
#include "core/io/private_folder.h"

// Checks a kernel that somebody has written, in CUDA C++ or C++, without a GPU: the file is
// compiled with kernels/executor, whose sources travel in the program, and run on small sizes.
namespace ts::kernel_check {

struct KernelVerdict {
  bool passed = false;
  base::Message message;  // the first thing that is wrong, or what was checked
  nlohmann::json result;  // what the checking program wrote
};

// Compiles the file in a folder of its own and runs it in a process with limits: 60 s, 4 GiB, no
// file larger than 1 MiB. It is still a program of its author's that runs with the user's rights.
// Errors: the file cannot be read or compiled, there is no C++ compiler (c++, or what CXX names),
// cancelled.
base::Result<KernelVerdict> check_attention(const std::filesystem::path& file, int d_head,
                                            const base::CancelToken& cancel);

struct KernelTime {
  double seconds = 0;
  std::optional<double> backward_seconds = {};
  std::int64_t calls = 0;  // of the forward
};

// A file's kernel compiled with -O3 for this processor, to be timed as often as wanted.
class TimedKernel {
 public:
  // Errors: as above, and a kernel in CUDA C++, since the executor says nothing of speed.
  static base::Result<TimedKernel> compile(const std::filesystem::path& file,
                                           const base::CancelToken& cancel);

  // How long the forward takes, and the backward where the file has one, of `heads` heads without a
  // mask, in a process as above: the median of the calls of a second each.
  [[nodiscard]] base::Result<KernelTime> time(int heads, int length, int d_head,
                                              const base::CancelToken& cancel) const;

 private:
  explicit TimedKernel(io::PrivateFolder folder) : folder_(std::move(folder)) {}
  io::PrivateFolder folder_;
};

// The verdict on what the program wrote; `code` is how it ended (io::run_child).
KernelVerdict verdict_of(const nlohmann::json& result, int code);

}  // namespace ts::kernel_check
