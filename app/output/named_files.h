#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/file.h"

namespace ts::app {

// A file of a folder, with its content.
struct NamedFile {
  std::string name;
  std::string content;
};

// Writes them in their order, up to the first that cannot be written.
inline base::Result<void> write_files(const std::filesystem::path& folder,
                                      const std::vector<NamedFile>& files) {
  for (const NamedFile& file : files)
    if (auto written = io::write_file(folder / file.name, file.content); !written) return written;
  return {};
}

}  // namespace ts::app
