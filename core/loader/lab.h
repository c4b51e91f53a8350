#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/io/private_folder.h"
#include "core/loader/loading_report.h"

namespace ts::loader {

// Answers questions: makes the data sets that they need, loads them, and removes them at its end.
// Disk: one data set and the cache beside it. One thread.
class Lab {
 public:
  // `data`: a folder of the user's own, which is only read; empty: data sets are made.
  // `program`: tensorscope, for workers that are processes; empty: there can be none.
  explicit Lab(std::filesystem::path data = {}, std::filesystem::path program = {})
      : data_(std::move(data)), program_(std::move(program)) {}

  // Calls while it works. Any may be empty.
  struct Calls {
    std::function<void(std::size_t batch)> step = {};  // as in LoadRequest
    std::function<void(std::size_t samples)> made = {};
    std::function<void(std::size_t steps)> stepped = {};
  };
  // Number `index` of a question.
  base::Result<Answer> answer(const simulate::Experiment& question, std::size_t index,
                              const Calls& calls, const base::CancelToken& cancel);

 private:
  [[nodiscard]] std::vector<std::string> worker_text(const char* subject,
                                                     const calculate::Chosen& chosen) const;
  base::Result<const DataSet*> data_for(const Plan& plan, const Calls& calls,
                                        const base::CancelToken& cancel);

  std::filesystem::path data_;
  std::filesystem::path program_;
  std::optional<Plan> made_for_;  // of set_
  std::optional<io::PrivateFolder> made_;
  DataSet set_;
};

}  // namespace ts::loader
