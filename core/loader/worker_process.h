#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/io/input_file.h"
#include "core/loader/maker.h"

namespace ts::loader {

// Workers that are processes, as those of PyTorch's DataLoader: a batch is ordered through a
// socket, and comes back through memory that both map, or through the socket.

// Memory for batches that a process writes and another one reads.
class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  // New memory of so many slots. Errors: the system has none.
  base::Result<void> make(std::size_t slots, std::size_t slot_bytes);
  // That of the process which made it.
  base::Result<void> open(const std::string& path, std::size_t bytes);
  // Another process of the same user opens it by this name.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  base::Result<void> map();

  io::Descriptor file_;
  std::size_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

// The largest batch. Bytes.
std::size_t slot_bytes(const Plan& plan, const std::vector<Batch>& batches);

// One worker, a child of this process; the destructor ends it. One thread.
class WorkerProcess {
 public:
  struct Job {
    std::vector<std::string> words;  // the program and what makes it call serve_batches()
    std::filesystem::path cache_folder;
    const SharedMemory* memory = nullptr;  // null: batches come through the socket
    std::size_t slot_bytes = 0;
    std::int64_t begin_ns = 0;  // of the load's watch
    std::size_t lane = 0;
    bool dies = false;  // kills itself at its second batch
  };
  WorkerProcess() = default;
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  base::Result<void> start(const Job& job);
  // Waits for the batch. The error says how the process ended, or that it is cancelled.
  base::Result<MadeBatch> make(std::size_t number, Buffers buffers, const Watch& watch,
                               const base::CancelToken& cancel);

  Made made;

 private:
  // False: it has ended, or it is cancelled.
  bool receive(void* to, std::size_t bytes, const base::CancelToken& cancel) const;
  base::Error end_of(std::size_t number);

  pid_t process_ = 0;
  io::Descriptor socket_;
  std::size_t lane_ = 0;
};

// The process's own side: makes the ordered batches until the socket, which is its standard input,
// is closed. Returns an exit code.
int serve_batches(const Plan& plan, const std::filesystem::path& data);

}  // namespace ts::loader
