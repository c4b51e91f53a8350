#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace ts::cluster {

// A connection of one card to others, in one direction. The bandwidth is that of the standard or
// the data sheet, so times with it are lower bounds.
struct Link {
  std::string name;
  double gb_s = 0;        // 1e9 bytes a second
  double latency_us = 0;  // of one hop of a ring
  std::string source;
};

// assets/links.json: links, and which of them cards of the catalogue have.
class LinkCatalogue {
 public:
  // Errors name the row.
  static base::Result<LinkCatalogue> parse(std::string_view json);
  [[nodiscard]] std::span<const Link> links() const { return links_; }
  // By its name; the error lists all.
  [[nodiscard]] base::Result<Link> require(std::string_view name) const;
  // Between cards of a node; where the file has no row for the card, what most cards have.
  [[nodiscard]] const Link& of_card(std::string_view card) const;
  // Between nodes, where nothing else is chosen.
  [[nodiscard]] const Link& network() const { return at(network_); }

 private:
  [[nodiscard]] const Link& at(std::string_view name) const;  // of one that there is

  std::vector<Link> links_;
  std::vector<std::pair<std::string, std::string>> cards_;
  std::string other_cards_;
  std::string network_;
};

// Seconds in which n ranks in a ring over the slowest of their links have the sum of `bytes` each
// (Patarasuk and Yuan 2009), or of reducing or gathering alone, which is half of it. 0 for one.
double all_reduce_s(double bytes, double ranks, const Link& link);
double gather_s(double bytes, double ranks, const Link& link);

}  // namespace ts::cluster
