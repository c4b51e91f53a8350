#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/session/opened_files.h"
#include "views/common/ui.h"

namespace ts::app {

// The range that two fields name, numbers of events or seconds; an empty end is that of the file.
// Unset: they name none.
std::optional<base::FileRange> typed_range(base::FileRange::Unit unit, std::string_view from,
                                           std::string_view to);

// Asks which events are read of a file that may not fit into memory. Main thread.
class RangeQuestion {
 public:
  void draw(const views::Ui& ui, OpenedFiles& files, const OpenedFiles::Entry& entry);

 private:
  void draw_fields(const views::Ui& ui);

  int entry_ = 0;  // whose fields these are
  int unit_ = 0;   // of base::FileRange::Unit
  std::string from_, to_;
};

}  // namespace ts::app
