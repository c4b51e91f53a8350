#pragma once

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace ts::app {

// The folder of --out. A list in it says which files a command wrote there: these are replaced or
// removed when the folder is used again, all others are somebody's and stay.
class OutputFolder {
 public:
  // Makes the folder; writes nothing yet. `names`: what the command may write; "chart-*" is every
  // name that begins so. An error when one of them is there and in no list: exit code 2.
  static base::Result<OutputFolder> claim(const std::filesystem::path& path,
                                          std::initializer_list<const char*> names);
  // The same for a folder that is known to be the command's own.
  static base::Result<OutputFolder> continue_in(const std::filesystem::path& path,
                                                std::initializer_list<const char*> names);

  // Whether a list has that name.
  [[nodiscard]] bool wrote(const std::string& name) const { return listed_.contains(name); }
  // When everything is written: removes what is left of the results before, and keeps the list.
  base::Result<void> finish() const;

 private:
  OutputFolder(std::filesystem::path path, std::initializer_list<const char*> names);
  // Files and folders there that are among the names.
  [[nodiscard]] std::set<std::string> present() const;

  std::filesystem::path path_;
  std::vector<std::string> names_;
  bool has_list_ = false;
  std::set<std::string> listed_;
  std::map<std::string, ino_t> before_;  // the file that each name stood for
};

}  // namespace ts::app
