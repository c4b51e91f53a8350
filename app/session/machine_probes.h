#pragma once

#include <string>
#include <vector>

namespace ts::app {

// Result of a probe: whether a library or device of this machine works, and its description.
struct Probe {
  bool works = false;
  std::string found;  // "NVIDIA H200, 139.8 GiB, driver API 13.0" or the reason why not
};

Probe probe_cuda_driver();  // libcuda.so.1: starts it and names device 0
// The driver's names of this machine's cards; none where there is no driver.
std::vector<std::string> cuda_card_names();
Probe probe_cupti();        // libcupti.so.13: its version
Probe probe_display();      // DISPLAY, and whether its X server responds
Probe probe_software_gl();  // OSMesa

struct FontProbe {
  std::string found;    // family names, comma separated
  std::string missing;  // likewise; empty when none
};
FontProbe probe_fonts();

}  // namespace ts::app
