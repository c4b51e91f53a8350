#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "views/charts/kernel_figures.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"
#include "views/inspector/check_list.h"

namespace ts::views {

// The inspector panel: verdict, figures of the run and of its GPUs, and the selection, in the
// current Dear ImGui window. Its Copy button and Ctrl+C over it copy the content, tab separated.
class InspectorView {
 public:
  // `engine_problem`: why nothing can run; empty if it can. Returns settings that the user wants to
  // try.
  std::optional<spec::WorkloadSpec> draw(const Ui& ui, const ViewContext& context,
                                         const base::Message& engine_problem);

 private:
  enum class Tab : std::uint8_t { slice, allocation };
  void draw_selection(const Ui& ui, const ViewContext& context);
  void draw_gpu(const Ui& ui, const ViewContext& context);
  [[nodiscard]] std::string shown_as_text(const ViewContext& context);
  KernelFigures kernels_;
  CheckList checks_;
  Tab tab_ = Tab::slice;
  std::optional<trace::SliceRef> last_slice_;
  std::optional<memory::BlockIndex> last_block_;
};

// The displayed parts of a verdict. State is never shown by colour alone: the mark has its own
// shape, and a word is beside it.
struct ShownVerdict {
  struct Mark {
    const char* icon = "";
    Color color = 0;
  };
  Mark mark;
  std::string sentence;
  std::string remark;
  std::string exact = {};  // the whole sentence of a prediction, and its sizes in bytes
  bool reason = false;     // the remark says why nothing can be predicted
  std::string edge = {};   // which T fit; belongs to the sentence
};
ShownVerdict verdict_text(const ViewContext& context, const base::Message& engine_problem);

// The words of a verdict in a place of at most `most` large lines. Their size never changes. An
// edge without room begins the remark. A sentence without room ends in an ellipsis.
struct PlacedVerdict {
  std::vector<std::string> lines;
  std::string remark;
  bool cut = false;
};
PlacedVerdict place_verdict(const DrawSink& sink, const text::Texts& texts,
                            const ShownVerdict& words, float width, std::size_t most);

// Draws icon, sentence and remark of the verdict in verdict_height() pixels. Words without room
// there are in the tooltip.
void draw_verdict(const Ui& ui, const ViewContext& context, const base::Message& engine_problem);

// Pixels reserved for the verdict: four large lines and two small ones.
float verdict_height(float scale);

}  // namespace ts::views
