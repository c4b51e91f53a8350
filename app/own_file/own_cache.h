#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace ts::app {

// The answers of processes for users' files, kept by the question and by the content of all Python
// files that took part: own_files/ in io::user_folder("XDG_CACHE_HOME", ".cache"). A failure to
// read or to write is as an empty cache. Any thread; processes may share it. The answer of a
// process: its JSON, and the recording where there is one.
struct OwnAnswerFiles {
  std::string json;
  std::string recording;
};

// `question`: all that decides the answer but the files' content.
std::optional<OwnAnswerFiles> cached_answer(const nlohmann::json& question);
// Keeps it, and of all answers the newest.
void keep_answer(const nlohmann::json& question, const OwnAnswerFiles& answer);

}  // namespace ts::app
