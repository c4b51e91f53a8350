#include "app/output/time_stamp.h"

#include <array>
#include <ctime>
#include <system_error>

namespace ts::app {

std::string time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &parts);
  return {text.data(), length};
}

std::filesystem::path new_path(const std::filesystem::path& parent, const std::string& kind,
                               const std::string& extension) {
  return unused_path(parent, kind + "-" + time_stamp(), extension);
}

std::filesystem::path unused_path(const std::filesystem::path& parent, const std::string& name,
                                  const std::string& extension) {
  std::filesystem::path path = parent / (name + extension);
  std::error_code ignored;
  for (int number = 2; std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
       ++number) {
    std::string numbered = name;
    numbered.append("-").append(std::to_string(number)).append(extension);
    path = parent / numbered;
  }
  return path;
}

}  // namespace ts::app
