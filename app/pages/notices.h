#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/pages/toasts.h"
#include "core/base/result.h"
#include "core/text/text.h"

namespace ts::app {

// Short messages to the user: one sentence in the status bar for a few seconds, and a toast for
// each file that was written. Main thread.
class Notices {
 public:
  explicit Notices(const text::Texts& texts) : texts_(&texts) {}

  // Replaces the sentence.
  void add(std::string words);
  void add(const base::Message& message);
  // Adds the error; a success changes nothing.
  void add_error(const base::Result<void>& result);
  void clear() { until_ns_ = 0; }
  // Reports that a file or folder was written.
  void saved(const std::filesystem::path& path);

  // Another page is shown than in the frame before.
  void page_changed();

  // The sentence to show now; null: none.
  [[nodiscard]] const std::string* sentence() const;
  // Returns the path that the user wants to see on the desktop.
  std::optional<std::filesystem::path> draw_toasts(const views::Ui& ui);
  // A sentence or a toast will disappear without input.
  [[nodiscard]] bool animated() const;

 private:
  const text::Texts* texts_;
  std::string words_;
  std::int64_t until_ns_ = 0;
  Toasts toasts_;
};

}  // namespace ts::app
