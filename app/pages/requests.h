#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/pages/page.h"
#include "views/sweep/sweep_view.h"

namespace ts::app {

// User requests of one frame that the window carries out after it, because they write files, draw
// pictures or end the program.
struct Requests {
  bool quit = false;
  bool picture = false;  // F12
  // The result that is saved into a folder of its own.
  enum class Save : std::uint8_t { run, prediction, comparison };
  std::optional<Save> save;
  bool save_page = false;     // the shown file as a page of HTML, beside the other pictures
  bool save_session = false;  // as a file beside the folders of these
  // Save one panel as a picture of that many pixels, beside the other pictures.
  struct Panel {
    Page page = Page::memory;
    int width = 0;
    int height = 0;
    std::string svg;  // the same as SVG; empty: it is no chart
  };
  std::optional<Panel> panel;
  // Save a figure of that many pixels as PNG and SVG, beside the other pictures.
  struct Drawing {
    std::string name;
    int width = 0;
    int height = 0;
    std::function<void(views::DrawSink&, const views::Rect&, const text::Texts&)> draw;
  };
  std::optional<Drawing> drawing;
  bool restart = false;
  bool lesson = false;  // the report of the open lesson and its pictures, into its folder
  // Save the map of the hunt as a picture into this file; empty: beside the other pictures.
  std::optional<std::filesystem::path> hunt_picture;
  // Save the figure of the sweep, or one chart of it, as files in a folder.
  struct Figure {
    std::optional<views::SweepChart> only;
    std::filesystem::path folder;
  };
  std::optional<Figure> figure;

  // Merges the requests of a later frame into these.
  void add(Requests&& later) {
    quit = quit || later.quit;
    picture = picture || later.picture;
    restart = restart || later.restart;
    lesson = lesson || later.lesson;
    save_page = save_page || later.save_page;
    save_session = save_session || later.save_session;
    if (later.hunt_picture) hunt_picture = std::move(later.hunt_picture);
    if (later.drawing) drawing = std::move(later.drawing);
    if (later.panel) panel = std::move(later.panel);
    if (later.save) save = later.save;
    if (later.figure) figure = std::move(later.figure);
  }
};

}  // namespace ts::app
