#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// Which of the other recordings that are open a view compares with. UI thread.
class OtherChoice {
 public:
  // The run of a recording as far as the view can compare it, else 0.
  using IdOf = std::uint64_t (*)(const OtherRecording&);

  explicit OtherChoice(IdOf id_of) : id_of_(id_of) {}

  // The file to compare with, as soon as it is open.
  void choose(std::string path) { wanted_ = std::move(path); }
  // `shown` came on screen: if it was compared with, `before` takes its place.
  void give_way(std::uint64_t shown, std::uint64_t before) {
    if (shown == id_) id_ = before;
  }

  // The one that was chosen; where none was, the first that `fits`, else the first that can be
  // compared. It may be one that is being read or cannot be compared, if that was wanted. Null:
  // there is none.
  const OtherRecording* find(const ViewContext& context,
                             const std::function<bool(const OtherRecording&)>& fits);
  [[nodiscard]] bool can_compare(const OtherRecording& one) const { return id_of_(one) != 0; }
  [[nodiscard]] std::uint64_t id() const { return id_; }

  // A field that chooses one of them, `id` among its names.
  void draw(const Ui& ui, const ViewContext& context, const OtherRecording* other,
            const std::string& id, float width);

 private:
  IdOf id_of_;
  std::string wanted_;    // path; empty: none is waited for
  std::uint64_t id_ = 0;  // 0: none was chosen
};

}  // namespace ts::views
