// A management library for tests: one GPU at 0000:3B:00.0 that does not tell its power, and nothing
// else. Loaded by path.
#include <cstring>

namespace {

int device = 0;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
int nvmlInit_v2() {
  return 0;
}
const char* nvmlErrorString(int) {
  return "an error";
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** handle) {
  if (std::strcmp(address, "0000:3B:00.0") != 0) return kNotFound;
  *handle = &device;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* handle, Memory* memory) {
  if (handle != &device) return kNotFound;
  *memory = {100, 58, 42};
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* megahertz) {
  *megahertz = type == 1 ? 1755 : 2619;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  *celsius = sensor == 0 ? 61 : 0;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned*) {
  return kNotSupported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x24;
  return 0;
}
}
#pragma GCC visibility pop
