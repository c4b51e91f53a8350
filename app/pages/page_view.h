#pragma once

#include <string>

#include "app/pages/notices.h"
#include "app/pages/page_frame.h"
#include "app/pages/requests.h"
#include "app/pages/run_starter.h"
#include "app/pages/view_contexts.h"
#include "app/pages/workspace_state.h"
#include "app/session/session.h"
#include "core/text/text.h"
#include "views/common/ui.h"

namespace ts::app {

// Shared by all pages of one window or picture.
struct PageServices {
  Session& session;
  WorkspaceState& state;
  const text::Texts& texts;
  Notices& notices;
  ViewContexts& contexts;
  RunStarter& runs;
  PageFrame& frame;
};

// A page of the window: what it draws, and what the commands that depend on the page do there.
// Main thread.
class PageView {
 public:
  explicit PageView(const PageServices& services) : services_(services) {}
  virtual ~PageView() = default;
  PageView(const PageView&) = delete;
  PageView& operator=(const PageView&) = delete;

  // Takes over what its jobs have finished. Every frame of the window, also while another page is
  // shown.
  virtual void update() {}
  virtual void draw(const views::Ui& ui, Requests& requests) = 0;
  // The sheets that it has opened; they stay over other pages, too.
  virtual void draw_sheets(const views::Ui& /*ui*/) {}
  // Closes the uppermost of them. False: none was open.
  virtual bool close_sheet() { return false; }

  // The start command.
  virtual void start() = 0;
  // The save command, and why it cannot be given now; empty: it can.
  virtual void save(Requests& requests) = 0;
  [[nodiscard]] virtual std::string why_not_save() const = 0;
  // One of its panels over the whole page, or all of them again; and why it has none to enlarge.
  virtual void enlarge() {}
  [[nodiscard]] virtual bool enlarged() const { return false; }
  [[nodiscard]] virtual std::string why_not_enlarge() const {
    return texts()("command.why.no_panels");
  }
  // It shows the settings.
  [[nodiscard]] virtual bool has_form() const { return true; }

 protected:
  [[nodiscard]] Session& session() const { return services_.session; }
  [[nodiscard]] WorkspaceState& state() const { return services_.state; }
  [[nodiscard]] const text::Texts& texts() const { return services_.texts; }
  [[nodiscard]] Notices& notices() const { return services_.notices; }
  [[nodiscard]] ViewContexts& contexts() const { return services_.contexts; }
  [[nodiscard]] RunStarter& runs() const { return services_.runs; }
  [[nodiscard]] PageFrame& frame() const { return services_.frame; }
  [[nodiscard]] const spec::WorkloadSpec& settings() const { return state().history.spec(); }
  // Empty where `can`, else the text of `key`.
  [[nodiscard]] std::string unless(bool can, const char* key) const {
    return can ? std::string() : std::string(texts()(key));
  }

 private:
  PageServices services_;
};

}  // namespace ts::app
