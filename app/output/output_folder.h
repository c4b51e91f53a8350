#pragma once

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace ts::app {

// One list of file names from several.
std::vector<const char*> names_of(std::initializer_list<std::initializer_list<const char*>> lists);

// The folder of --out. A list in it names the files that a command wrote. These are replaced or
// removed when the folder is used again; all other files belong to the user and stay.
class OutputFolder {
 public:
  // Creates the folder; writes nothing yet. `names`: what the command may write; "chart-*" is every
  // name with that prefix. An error when one of them exists and is in no list: exit code 2.
  static base::Result<OutputFolder> claim(const std::filesystem::path& path,
                                          const std::vector<const char*>& names);
  // The same where a folder was asked for; nothing where none was.
  static base::Result<std::optional<OutputFolder>> claim_if(
      const std::optional<std::filesystem::path>& path, const std::vector<const char*>& names);
  // The same for a folder that is known to belong to the command.
  static base::Result<OutputFolder> continue_in(const std::filesystem::path& path,
                                                const std::vector<const char*>& names);

  // True if a list has that name.
  [[nodiscard]] bool wrote(const std::string& name) const { return listed_.contains(name); }
  // Removes what earlier results left and this one did not write again.
  void remove_leftovers();
  // Call when everything is written: removes the leftovers and saves the list.
  base::Result<void> finish();

 private:
  OutputFolder(std::filesystem::path path, const std::vector<const char*>& names);
  // True if nobody has written it since the folder was claimed.
  [[nodiscard]] bool is_left(const std::string& name) const;
  // Existing files and folders that match the names.
  [[nodiscard]] std::set<std::string> present() const;

  std::filesystem::path path_;
  std::vector<std::string> names_;
  bool has_list_ = false;
  std::set<std::string> listed_;
  std::map<std::string, ino_t> before_;  // the earlier file of each name
};

}  // namespace ts::app
