#include "app/sheets/file_dialog.h"

#include <portable_file_dialogs.h>

namespace ts::app {

struct FileDialog::Impl {
  std::unique_ptr<pfd::open_file> dialog;
};

std::vector<std::string> dialog_filters(const text::Texts& texts) {
  return {texts("file.filter.snapshots"), "*.pickle *.pkl *.json",
          texts("file.filter.models"),    "*.pt2",
          texts("file.filter.python"),    "*.py",
          texts("file.filter.sessions"),  "*.session",
          texts("file.filter.all"),       "*"};
}

FileDialog::FileDialog() : impl_(std::make_unique<Impl>()) {}
FileDialog::~FileDialog() = default;

bool FileDialog::available() {
  static const bool found = pfd::settings::available();
  return found;
}

void FileDialog::open(const text::Texts& texts, std::string_view title_key) {
  if (impl_->dialog != nullptr) return;
  impl_->dialog = std::make_unique<pfd::open_file>(texts(title_key), "", dialog_filters(texts),
                                                   pfd::opt::multiselect);
}

std::vector<std::filesystem::path> FileDialog::take() {
  if (impl_->dialog == nullptr || !impl_->dialog->ready(0)) return {};
  const std::vector<std::string> chosen = impl_->dialog->result();
  impl_->dialog.reset();
  return {chosen.begin(), chosen.end()};
}

}  // namespace ts::app
