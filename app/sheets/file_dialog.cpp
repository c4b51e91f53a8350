#include "app/sheets/file_dialog.h"

#include <portable_file_dialogs.h>

namespace ts::app {

struct FileDialog::Impl {
  std::unique_ptr<pfd::open_file> dialog;
};

FileDialog::FileDialog() : impl_(std::make_unique<Impl>()) {}
FileDialog::~FileDialog() = default;

bool FileDialog::available() {
  static const bool found = pfd::settings::available();
  return found;
}

void FileDialog::open(const std::string& title) {
  if (impl_->dialog != nullptr) return;
  impl_->dialog = std::make_unique<pfd::open_file>(
      title, "",
      std::vector<std::string>{"Memory snapshots", "*.pickle *.pkl *.json",
                               "Models of torch.export", "*.pt2", "Python", "*.py", "Sessions",
                               "*.session", "All files", "*"},
      pfd::opt::multiselect);
}

std::vector<std::filesystem::path> FileDialog::take() {
  if (impl_->dialog == nullptr || !impl_->dialog->ready(0)) return {};
  const std::vector<std::string> chosen = impl_->dialog->result();
  impl_->dialog.reset();
  return {chosen.begin(), chosen.end()};
}

}  // namespace ts::app
