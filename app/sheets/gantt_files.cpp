#include "app/sheets/gantt_files.h"

#include "app/output/time_stamp.h"
#include "app/sheets/figure_drawing.h"
#include "core/io/file.h"
#include "core/text/message.h"
#include "core/trace_file/trace_write.h"
#include "views/calculate/gantt_figure.h"

namespace ts::app {

Requests::Drawing gantt_drawing(const views::Ui& ui, const simulate::Outcome& outcome,
                                const std::string& name, float scale) {
  const views::Metrics metrics{scale};
  const views::Theme& theme = views::theme(ui.theme.kind);
  const float height = views::gantt_figure_height({theme, metrics, outcome});
  return figure_drawing(name, height, metrics,
                        [outcome, &theme, metrics](views::DrawSink& sink, const views::Rect& area,
                                                   const text::Texts&) {
                          draw_gantt_figure(sink, area, {theme, metrics, outcome});
                        });
}

base::Result<std::filesystem::path> write_timeline(const WorkspaceState& state,
                                                   const trace_file::TraceFile& trace,
                                                   const std::string& name, const char* metadata) {
  const std::filesystem::path folder = state.save_folder();
  if (folder.empty()) return text::fail("file_error.no_home");
  TS_TRY_DONE(io::make_folder(folder));
  auto path = new_path(folder, name, ".json");
  TS_TRY_DONE(trace_file::write_trace(path, trace, metadata));
  return path;
}

}  // namespace ts::app
