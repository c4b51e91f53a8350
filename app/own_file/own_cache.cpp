#include "app/own_file/own_cache.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/sha256.h"
#include "core/io/user_folder.h"

namespace ts::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostAnswers = 64;
constexpr std::uintmax_t kMostKeptBytes = std::uintmax_t{256} << 20;

struct Kept {
  fs::file_time_type written;
  fs::path answer;
  std::uintmax_t bytes = 0;  // with its recording
};

std::optional<fs::path> cache_folder() {
  const auto folder = io::user_folder("XDG_CACHE_HOME", ".cache");
  if (!folder) return std::nullopt;
  return *folder / "own_files";
}

fs::path file_of(const fs::path& folder, const nlohmann::json& question, const char* kind) {
  return folder / (io::sha256(question.dump()) + kind);
}

// True if every file that took part is as it was.
bool still_so(const nlohmann::json& answer) {
  const auto files = answer.find("files");
  if (files == answer.end() || !files->is_object() || files->empty()) return false;
  return std::ranges::all_of(files->items(), [](const auto& file) {
    const auto content = io::read_file(file.key());
    return content && file.value() == io::sha256(*content);
  });
}

std::uintmax_t bytes_of_file(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  return error ? 0 : bytes;
}

fs::path recording_beside(fs::path answer) {
  return answer.replace_extension(".recording");
}

// Until there are few enough answers, of few enough bytes.
void remove_oldest(const fs::path& folder) {
  std::vector<Kept> all;
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".json") continue;
    all.push_back({entry.last_write_time(error), path,
                   bytes_of_file(path) + bytes_of_file(recording_beside(path))});
    bytes += all.back().bytes;
  }
  std::ranges::sort(all, {}, &Kept::written);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.size() - i <= kMostAnswers && bytes <= kMostKeptBytes) return;
    fs::remove(all[i].answer, error);
    fs::remove(recording_beside(all[i].answer), error);
    bytes -= all[i].bytes;
  }
}

}  // namespace

std::optional<OwnAnswerFiles> cached_answer(const nlohmann::json& question) {
  const auto folder = cache_folder();
  if (!folder) return std::nullopt;
  auto json = io::read_file(file_of(*folder, question, ".json"));
  if (!json) return std::nullopt;
  const auto answer = io::parse_json(*json);
  if (!answer || !answer->is_object() || !still_so(*answer)) return std::nullopt;
  OwnAnswerFiles files{std::move(*json), {}};
  if (auto recording = io::read_file(file_of(*folder, question, ".recording")))
    files.recording = std::move(*recording);
  return files;
}

void keep_answer(const nlohmann::json& question, const OwnAnswerFiles& answer) {
  const auto folder = cache_folder();
  if (!folder || !io::make_folder(*folder)) return;
  // The answer last: without it nothing is found.
  if (!answer.recording.empty() &&
      !io::write_file(file_of(*folder, question, ".recording"), answer.recording)) {
    return;
  }
  static_cast<void>(io::write_file(file_of(*folder, question, ".json"), answer.json));
  remove_oldest(*folder);
}

}  // namespace ts::app
