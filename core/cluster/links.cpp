#include "core/cluster/links.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/io/json_parse.h"
#include "core/text/joined.h"
#include "core/text/message.h"

namespace ts::cluster {

base::Result<LinkCatalogue> LinkCatalogue::parse(std::string_view json) {
  TS_TRY(const auto document, io::parse_json(json));
  LinkCatalogue made;
  try {
    for (const auto& row : document.at("links")) {
      Link link{.name = row.at("name"),
                .gb_s = row.at("gb_s"),
                .latency_us = row.at("latency_us"),
                .source = row.at("source")};
      if (link.name.empty() || link.source.empty() || !(link.gb_s > 0) || !(link.latency_us > 0))
        return base::fail("link \"" + link.name + "\" lacks a positive number or its source");
      made.links_.push_back(std::move(link));
    }
    made.other_cards_ = document.at("other_cards");
    made.network_ = document.at("network");
    for (const auto& [card, link] : document.at("cards").items())
      made.cards_.emplace_back(card, link.get<std::string>());
  } catch (const nlohmann::json::exception& problem) {
    return base::fail(std::string("links: ") + problem.what());
  }
  std::vector<std::string> named = {made.other_cards_, made.network_};
  for (const auto& [card, link] : made.cards_) named.push_back(link);
  for (const std::string& name : named) {
    TS_TRY_DONE(made.require(name));
  }
  return made;
}

base::Result<Link> LinkCatalogue::require(std::string_view name) const {
  const auto found = std::ranges::find(links_, name, &Link::name);
  if (found != links_.end()) return *found;
  const std::string all = text::joined(links_, "; ", &Link::name);
  return text::fail("cluster.unknown_link", {{"name", std::string(name)}, {"known", all}});
}

const Link& LinkCatalogue::at(std::string_view name) const {
  const auto found = std::ranges::find(links_, name, &Link::name);
  TS_CHECK(found != links_.end());
  return *found;
}

const Link& LinkCatalogue::of_card(std::string_view card) const {
  for (const auto& [name, link] : cards_) {
    if (name == card) return at(link);
  }
  return at(other_cards_);
}

double gather_s(double bytes, double ranks, const Link& link) {
  return (ranks - 1) / ranks * bytes / (link.gb_s * 1e9) + (ranks - 1) * link.latency_us * 1e-6;
}

double all_reduce_s(double bytes, double ranks, const Link& link) {
  return 2 * gather_s(bytes, ranks, link);
}

}  // namespace ts::cluster
