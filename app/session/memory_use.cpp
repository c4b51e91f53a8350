#include "app/session/memory_use.h"

#include <unistd.h>

#include <fstream>

namespace ts::app {

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace ts::app
