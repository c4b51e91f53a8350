#include "app/output/output_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>

#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

constexpr const char* kListName = ".tensorscope-files";  // one name per line

bool fits_name(std::string_view name, std::string_view pattern) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                : name == pattern;
}

ino_t file_number(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace

std::vector<const char*> names_of(std::initializer_list<std::initializer_list<const char*>> lists) {
  std::vector<const char*> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

OutputFolder::OutputFolder(std::filesystem::path path, const std::vector<const char*>& names)
    : path_(std::move(path)), names_(names.begin(), names.end()) {
  if (const auto list = io::read_file(path_ / kListName)) {
    has_list_ = true;
    std::istringstream lines(*list);
    for (std::string line; std::getline(lines, line);) listed_.insert(line);
  }
  for (const std::string& name : present()) before_[name] = file_number(path_ / name);
}

base::Result<OutputFolder> OutputFolder::claim(const std::filesystem::path& path,
                                               const std::vector<const char*>& names) {
  auto folder = continue_in(path, names);
  if (!folder) return folder;
  for (const auto& [name, number] : folder->before_) {
    if (folder->wrote(name)) continue;
    if (!folder->has_list_) {
      return text::fail("save_error.no_list", {{"path", path.string()}, {"name", name}});
    }
    return text::fail("save_error.foreign", {{"path", path.string()}, {"name", name}});
  }
  return folder;
}

base::Result<std::optional<OutputFolder>> OutputFolder::claim_if(
    const std::optional<std::filesystem::path>& path, const std::vector<const char*>& names) {
  if (!path) return std::nullopt;
  TS_TRY(auto claimed, claim(*path, names));
  return std::optional(std::move(claimed));
}

base::Result<OutputFolder> OutputFolder::continue_in(const std::filesystem::path& path,
                                                     const std::vector<const char*>& names) {
  TS_TRY_DONE(io::make_folder(path));
  return OutputFolder(path, names);
}

std::set<std::string> OutputFolder::present() const {
  std::set<std::string> found;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(path_, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (std::ranges::any_of(names_, [&](const auto& one) { return fits_name(name, one); })) {
      found.insert(name);
    }
  }
  return found;
}

// Files are written beside their target and renamed, so a rewritten file has another number.
bool OutputFolder::is_left(const std::string& name) const {
  const auto old = before_.find(name);
  return old != before_.end() && old->second == file_number(path_ / name);
}

void OutputFolder::remove_leftovers() {
  for (const std::string& name : present()) {
    std::error_code error;
    if (!is_left(name) || !wrote(name) || !std::filesystem::is_regular_file(path_ / name, error))
      continue;
    std::filesystem::remove(path_ / name, error);
    before_.erase(name);  // its number may be given to the next file
  }
}

base::Result<void> OutputFolder::finish() {
  remove_leftovers();
  std::string list;
  for (const std::string& name : present()) {
    const bool foreign = is_left(name) && !wrote(name);
    if (!foreign) list += name + "\n";
  }
  for (const std::string& name : listed_) {  // of other commands
    if (std::ranges::none_of(names_, [&](const auto& one) { return fits_name(name, one); })) {
      list += name + "\n";
    }
  }
  return io::write_file(path_ / kListName, list);
}

}  // namespace ts::app
