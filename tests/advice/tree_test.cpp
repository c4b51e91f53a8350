// The decision trees of the material: that all are complete, and which way each kind of evidence
// takes. The documents are written by hand, with the keys that the commands print.
#include "core/advice/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assets/assets.h"
#include "core/lessons/lesson_rows.h"
#include "core/lessons/material_errors.h"
#include "core/spec/gpu_catalogue.h"
#include "core/spec/presets.h"
#include "core/text/message.h"

namespace ts::advice {
namespace {

using nlohmann::json;

const std::vector<Tree>& trees() {
  static const std::vector<Tree> all = *read_trees(assets::trees());
  return all;
}
const Tree& tree(const std::string& id) {
  return **tree_from(trees(), id);
}

spec::WorkloadSpec attention() {
  spec::WorkloadSpec spec;
  spec::choose_workload(spec::WorkloadKind::attention, spec);
  return spec;
}

// `ratio` is the time of B over that of A, with its interval.
json comparison(spec::WorkloadSpec spec, double low, double ratio, double high,
                const char* ran = "flash") {
  spec.backend = spec::AttentionBackend::naive;
  const json a = to_json(spec);
  spec.backend = spec::AttentionBackend::flash;
  const json b = to_json(spec);
  return {{"a", {{"spec", a}, {"backend_ran", "naive"}}},
          {"b", {{"spec", b}, {"backend_ran", ran}}},
          {"ratio", {{"total", {{"median", ratio}, {"ci95", {low, high}}, {"pairs", 20}}}}}};
}

// The last node of the only way.
std::string end_of(const Tree& of, const Evidence& evidence) {
  const Walk found = walk(of, evidence);
  return of.nodes[found.visits.back().node].id;
}

TEST(Trees, AreCompleteInAllLanguages) {
  const auto read = read_trees(assets::trees());
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ(read->size(), 5U);
  const auto rows = lessons::read_rows(assets::lesson_rows());
  const auto gpus = *spec::GpuCatalogue::parse(assets::gpus());
  const auto errors = lessons::read_material_errors(assets::lesson_errors(), gpus);
  for (const Tree& one : *read) {
    EXPECT_TRUE(one.title.complete() && one.about.complete()) << one.id;
    for (const std::string& row : one.rows) EXPECT_NE(rows->row(row), nullptr) << row;
    for (const Node& node : one.nodes) {
      const std::string where = one.id + " " + node.id;
      EXPECT_TRUE(node.text.complete()) << where;
      EXPECT_TRUE(node.source.empty() || node.source.complete()) << where;
      for (const std::string& error : node.errors) {
        EXPECT_TRUE(std::ranges::any_of(errors->errors,
                                        [&](const auto& known) { return known.id == error; }))
            << where << " " << error;
      }
      if (node.kind != NodeKind::ask) continue;
      EXPECT_TRUE(node.missing.complete()) << where;
      for (const Probe& probe : node.evidence)
        EXPECT_EQ(probe.stated.has_value(), probe.because.complete()) << where;
    }
  }
}

TEST(Trees, WithoutEvidenceNothingIsGuessed) {
  Evidence evidence;
  evidence.command = "attention";
  for (const Tree& one : trees()) {
    const Walk found = walk(one, evidence);
    for (const Visit& visit : found.visits) {
      EXPECT_FALSE(visit.reading) << one.id;
      EXPECT_NE(one.nodes[visit.node].kind, NodeKind::end) << one.id;
    }
  }
  const Walk flash = walk(tree("flash"), evidence);
  ASSERT_EQ(flash.visits.size(), 1U);
  EXPECT_EQ(flash.visits[0].command, "ab attention --set backend=naive --with backend=flash");
}

TEST(Trees, TheIntervalOfAComparisonDecides) {
  const auto end = [](double low, double ratio, double high, const char* ran = "flash") {
    Evidence evidence;
    evidence.add("ab", comparison(attention(), low, ratio, high, ran));
    return end_of(tree("flash"), evidence);
  };
  EXPECT_EQ(end(0.4, 0.45, 0.5), "is_faster");
  EXPECT_EQ(end(0.99, 1, 1.01, "math"), "fell_back");
  // 1 / 0.85 is above 1.1, 1 / 0.95 is below.
  EXPECT_EQ(end(0.85, 0.9, 0.95), "more");
  // Attention is all of this workload.
  EXPECT_EQ(end(0.95, 1, 1.05), "short");
  Evidence evidence;
  spec::WorkloadSpec longer = attention();
  longer.seq_len = 1024;
  evidence.add("ab", comparison(longer, 0.95, 1, 1.05));
  EXPECT_EQ(end_of(tree("flash"), evidence), "compute");
}

TEST(Trees, AComparisonCountsForItsOwnSettingsOnly) {
  Evidence evidence;
  evidence.spec = attention();
  spec::WorkloadSpec other = attention();
  other.batch += 1;
  evidence.add("ab", comparison(other, 0.4, 0.45, 0.5));
  const Walk found = walk(tree("flash"), evidence);
  ASSERT_EQ(found.visits.size(), 1U);
  ASSERT_EQ(found.visits[0].apart.size(), 1U);
  EXPECT_NE(found.visits[0].apart[0].sentence.find("B = " + std::to_string(other.batch)),
            std::string::npos);

  // A against A says nothing of flash.
  json same = comparison(attention(), 0.4, 0.45, 0.5);
  same["b"]["spec"]["backend"] = "math";
  evidence.add("ab", same);
  EXPECT_TRUE(evidence.apart.empty());
  EXPECT_EQ(end_of(tree("flash"), evidence), "gain");
}

TEST(Trees, ASweepAnswersAtTheLengthOfTheSettings) {
  Evidence evidence;
  evidence.spec = attention();
  const auto point = [](const char* series, std::int64_t length, double low, double high) {
    return json{{"series", series}, {"at", {{"T", length}}}, {"step_ms", {{"ci95", {low, high}}}}};
  };
  const std::int64_t length = evidence.spec->seq_len;
  evidence.add("sweep",
               {{"sweep",
                 {{"base", to_json(attention())},
                  {"axes", {{{"field", "T"}}}},
                  {"series", {{{"field", "backend"}}}}}},
                {"points",
                 {point("naive", length, 10, 11), point("flash", length, 4, 5),
                  point("naive", 2 * length, 10, 11), point("flash", 2 * length, 14, 15)}}});
  const Walk found = walk(tree("flash"), evidence);
  ASSERT_TRUE(found.visits[0].reading);
  EXPECT_DOUBLE_EQ(found.visits[0].reading->number->value, 2);
  EXPECT_EQ(found.visits.back().node, tree("flash").index(*tree("flash").node("is_faster")));
}

TEST(Trees, MemoryIsPredictedAndSpeedMeasured) {
  Evidence evidence;
  evidence.spec = attention();
  const auto with = [&](std::int64_t naive, std::int64_t flash) {
    evidence.documents["naive"] = {{"headroom", naive}, {"target", {{"name", "RTX 4090"}}}};
    evidence.documents["flash"] = {{"headroom", flash}, {"target", {{"name", "RTX 4090"}}}};
    return end_of(tree("attention"), evidence);
  };
  EXPECT_EQ(with(-1, 1), "for_memory");
  EXPECT_EQ(with(-1, -1), "both");
  EXPECT_EQ(with(1, 1), "faster");  // nothing was measured
  evidence.add("ab", comparison(attention(), 0.4, 0.45, 0.5));
  EXPECT_EQ(with(1, 1), "use_flash");
  evidence.add("ab", comparison(attention(), 1.2, 1.3, 1.4));
  EXPECT_EQ(with(1, 1), "use_naive");
  evidence.add("ab", comparison(attention(), 0.9, 1, 1.1));
  EXPECT_EQ(with(1, 1), "same");
  evidence.documents.erase("flash");
  evidence.apart["flash"] = {.sentence = "no kernel"};
  EXPECT_EQ(end_of(tree("attention"), evidence), "cannot");
  const Walk found = walk(tree("attention"), evidence);
  const Visit* const fits = found.of(*tree("attention").node("fits"));
  ASSERT_NE(fits, nullptr);
  EXPECT_EQ(fits->reading->where, "RTX 4090");
  EXPECT_EQ(fits->reading->nature, lessons::Nature::predicted);
  evidence.spec->pass = spec::Pass::generate;
  EXPECT_EQ(end_of(tree("attention"), evidence), "cache");
}

// F-1 and F-2 of the course: 2 B T [L (4 d^2 + 3 d ff) + V d] + 4 L B T^2 d.
TEST(Trees, TheShareOfAttentionIsThatOfTheFormula) {
  spec::WorkloadSpec spec;
  spec::choose_workload(spec::WorkloadKind::lm, spec);
  spec.batch = 2;
  spec.seq_len = 256;
  spec.d_model = 512;
  spec.heads = 8;
  spec.layers = 3;
  spec.d_ff = 2048;
  spec.vocab = 10000;
  Evidence evidence;
  evidence.spec = spec;
  const auto found = number_of(evidence, {"theory", "attention_flops_percent", ""});
  ASSERT_TRUE(found);
  const double rest = 2.0 * 2 * 256 * (3 * (4.0 * 512 * 512 + 3.0 * 512 * 2048) + 10000.0 * 512);
  const double squares = 4.0 * 3 * 2 * 256 * 256 * 512;
  EXPECT_NEAR(found->value, 100 * squares / (rest + squares), 1e-9);
  EXPECT_EQ(found->nature, lessons::Nature::theory);
}

json check(const char* id, const char* state, const char* why = "reproducible") {
  return {{"check", id},
          {"state", state},
          {"found", std::string(id) + " found"},
          {"why_text", text::text_json(text::message(std::string("check.why.") + why))}};
}

TEST(Trees, AnImportedTraceIsRead) {
  Evidence evidence;
  const auto kernel = [](const char* name, double us) {
    return json{{"name", name}, {"count", 1}, {"total_us", us}};
  };
  json trace = {{"kind", "trace"},
                {"kernels",
                 {kernel("ncclDevKernel_AllReduce_Sum_bf16", 400),
                  kernel("ampere_bf16_s16816gemm_bf16_128x128", 600)}},
                {"checks", {check("C-7", "passed")}}};
  evidence.add("trace", trace);
  EXPECT_DOUBLE_EQ(number_of(evidence, {"trace", "communication_percent", ""})->value, 40);
  EXPECT_EQ(end_of(tree("bottleneck"), evidence), "exchange");
  trace["checks"] = {check("C-7", "failed"), check("C-21", "failed")};
  evidence.add("trace", trace);
  EXPECT_EQ(end_of(tree("bottleneck"), evidence), "pipeline");
  // A check that does not tell is no evidence, and its reason is said.
  trace["checks"] = {check("C-7", "failed"), check("C-21", "unknown")};
  evidence.add("trace", trace);
  const Walk found = walk(tree("bottleneck"), evidence);
  ASSERT_EQ(found.visits.back().apart.size(), 1U);
  EXPECT_EQ(found.visits.back().apart[0].sentence, "C-21 found");
}

TEST(Trees, AReasonChoosesAmongChecksOfOneId) {
  Evidence evidence;
  evidence.add("trace",
               {{"checks",
                 {check("C-7", "failed"), check("C-21", "passed"),
                  check("C-16", "failed", "overlap"), check("C-16", "passed", "host_reads")}}});
  EXPECT_EQ(end_of(tree("bottleneck"), evidence), "launches");
}

TEST(Trees, OfChecksWithOneIdTheWorstCounts) {
  Evidence evidence;
  evidence.add("run", {{"spec", to_json(attention())},
                       {"checks",
                        {check("C-7", "passed"), check("C-12", "passed"), check("C-12", "failed")}},
                       {"limits", {{"intensity", 200}, {"ridge", 100}, {"compute_percent", 10}}}});
  const Walk found = walk(tree("bottleneck"), evidence);
  EXPECT_EQ(tree("bottleneck").nodes[found.visits.back().node].id, "sixteen");
  EXPECT_EQ(found.visits[0].reading->found.sentence, "C-7 found");
  // A list visits all of its items.
  EXPECT_EQ(walk(tree("six-checks"), evidence).visits.size(), 7U);
}

TEST(Trees, WhatIsWrongIsNamed) {
  const auto said = [](const std::string& nodes) {
    const auto read = read_trees(
        R"({"trees": [{"id": "t", "title": "t", "about": "a", "nodes": [)" + nodes + "]}]}");
    return read ? std::string() : read.error().sentence;
  };
  const std::string end = R"({"id": "e", "kind": "end", "text": "x"})";
  const auto ask = [](const std::string& evidence, const std::string& branches) {
    return R"({"id": "q", "text": "?", "evidence": [)" + evidence + R"(], "branches": [)" +
           branches + "]}, ";
  };
  const std::string number = R"({"number": "run.median_ms"})";
  EXPECT_EQ(said(ask(number, R"({"below": 1, "to": "e"}, {})") + end), "");
  EXPECT_NE(said(ask(number, R"({"below": 1, "to": "e"})") + end).find("all that is left"),
            std::string::npos);
  EXPECT_NE(said(ask(R"({"number": "run.no_such"})", R"({"to": "e"})") + end).find("no_such"),
            std::string::npos);
  EXPECT_NE(said(ask(R"({"word": "settings.no_such"})", R"({"to": "e"})") + end).find("no_such"),
            std::string::npos);
  EXPECT_NE(said(ask(number, R"({"to": "nowhere"})") + end).find("nowhere"), std::string::npos);
  EXPECT_NE(said(ask(number, "{}") + end).find("not reached"), std::string::npos);
  EXPECT_NE(
      said(ask(R"({"number": "run.median_ms", "check": "C-1"})", "{}") + end).find("one of number"),
      std::string::npos);
  EXPECT_NE(said(R"({"id": "e", "kind": "end", "text": "x", "set": ["T=none"]})"), "");
  EXPECT_NE(said(R"({"id": "e", "kind": "dance", "text": "x"})").find("dance"), std::string::npos);
  EXPECT_NE(tree_from(trees(), "atention").error().sentence.find("attention"), std::string::npos);
}

}  // namespace
}  // namespace ts::advice
