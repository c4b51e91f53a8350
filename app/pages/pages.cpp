#include "app/pages/pages.h"

namespace ts::app {

Pages::Pages(const PageServices& services)
    : run(services),
      sweep(services),
      hunt(services, run.memory()),
      compare(services),
      lessons(services),
      session_(&services.session),
      state_(&services.state),
      all_{&run, &sweep, &hunt, &compare, &lessons} {}

PageView& Pages::current() const {
  const Page page = is_panel(state_->page) ? Page::run : state_->page;
  return *all_[static_cast<std::size_t>(page)];
}

bool Pages::shows_file() const {
  return state_->page == Page::run && session_->files().current() != nullptr;
}

}  // namespace ts::app
