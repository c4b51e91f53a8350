#include "app/window/save.h"

#include <nlohmann/json.hpp>
#include <string>

#include "app/output/environment.h"
#include "app/output/prediction_files.h"
#include "app/output/time_stamp.h"
#include "app/session/run_files.h"
#include "core/io/file.h"
#include "core/io/text_table.h"
#include "core/predict/prediction_json.h"
#include "core/report/compare_report.h"

namespace ts::app {

namespace {

base::Result<void> save_run(Graphics& graphics, Session& session, const WorkspaceState& state,
                            const std::filesystem::path& folder) {
  if (session.run() == nullptr) return base::fail("There is no run to save");
  auto written = write_run(folder, session, document_of(session));
  if (!written) return written;
  return save_run_pictures(graphics, session, state, folder);
}

base::Result<void> save_prediction(Graphics& graphics, Session& session,
                                   const WorkspaceState& state,
                                   const std::filesystem::path& folder) {
  const predict::Outlook* const outlook = session.predictions().outlook();
  if (outlook == nullptr || outlook->target == nullptr) {
    return base::fail("There is no prediction to save");
  }
  const auto forecast = outlook->target;
  const spec::WorkloadSpec spec = outlook->spec;
  auto written = write_prediction(folder, *forecast, spec, session.strings(),
                                  predict::to_json(*forecast, spec));
  if (!written) return written;
  return save_prediction_pictures(graphics, session, state, folder);
}

base::Result<void> save_comparison(Graphics& graphics, Session& session,
                                   const WorkspaceState& state,
                                   const std::filesystem::path& folder) {
  if (session.comparison() == nullptr) return base::fail("There is no comparison to save");
  const run::Comparison& comparison = *session.comparison();
  if (auto made = io::make_folder(folder); !made) return made;
  const auto environment = environment_json(read_machine(), session.engine());
  const nlohmann::json json = report::to_json(comparison, run::comparison_protocol(), environment);
  if (auto written = io::write_file(folder / "comparison.json", json.dump(2) + "\n"); !written) {
    return written;
  }
  const io::TextTable table = report::comparison_table(comparison);
  if (auto written = io::write_file(folder / "comparison.csv", io::to_csv(table)); !written) {
    return written;
  }
  std::string words =
      io::to_markdown(table) + "\n" + report::comparison_sentence(comparison) + "\n";
  if (auto written = io::write_file(folder / "comparison.md", words); !written) return written;
  PictureOptions picture;
  picture.layout = Layout::compare;
  return save_picture(graphics, session, state, picture, folder / "comparison.png");
}

}  // namespace

base::Result<std::filesystem::path> save_in_folder(Requests::Save what, Graphics& graphics,
                                                   Session& session, const WorkspaceState& state,
                                                   const std::filesystem::path& parent) {
  std::filesystem::path folder;
  base::Result<void> saved;
  switch (what) {
    case Requests::Save::run:
      folder = new_path(parent, "run");
      saved = save_run(graphics, session, state, folder);
      break;
    case Requests::Save::prediction:
      folder = new_path(parent, "prediction");
      saved = save_prediction(graphics, session, state, folder);
      break;
    case Requests::Save::comparison:
      folder = new_path(parent, "comparison");
      saved = save_comparison(graphics, session, state, folder);
      break;
  }
  if (!saved) return tl::unexpected(saved.error());
  return folder;
}

}  // namespace ts::app
