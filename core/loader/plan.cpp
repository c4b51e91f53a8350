#include "core/loader/plan.h"

#include <algorithm>

#include "core/text/message.h"

namespace ts::loader {
namespace {

using Inputs = std::vector<calculate::Input>;

void add(Inputs& to, const Inputs& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// The numbers before and after those of the data itself.
Inputs with_loader(std::int64_t batch, std::int64_t step_ms, const Inputs& of_data,
                   const Inputs& of_loading) {
  Inputs inputs = {{"workers", "", 2, 0, 64},
                   {"prefetch", "", 2, 1, 64},
                   {"processes", "", 0, 0, 1},
                   {"piped", "", 0, 0, 1},
                   {"batch", "", batch, 1, 4096},
                   {"batches", "", 32, 2, 1000},
                   {"step_ms", "ms", step_ms, 0, 10'000},
                   {"shuffle", "", 64, 0, 1'000'000}};
  add(inputs, of_loading);
  add(inputs, {{"sharded", "", 0, 0, 1},
               {"mapped", "", 0, 0, 1},
               {"preload", "", 0, 0, 1},
               {"cold", "", 0, 0, 1}});
  add(inputs, of_data);
  add(inputs, {{"shard_samples", "", 64, 1, 100'000},
               {"seed", "", 1, 0, 1'000'000'000},
               {"broken", "", 0, 0, 1000},
               {"empty_shards", "", 0, 0, 100},
               {"dying_workers", "", 0, 0, 63}});
  return inputs;
}

Inputs image_inputs() {
  return with_loader(16, 30,
                     {{"samples", "", 256, 1, 100'000},
                      {"image_width", "", 640, 16, 4096},
                      {"image_height", "", 480, 16, 4096},
                      {"quality", "", 85, 1, 100}},
                     {{"side", "", 224, 16, 2048},
                      {"scaled_decode", "", 1, 0, 1},
                      {"stacked", "", 0, 0, 1},
                      {"memory_mib", "MiB", 0, 0, 65'536},
                      {"known_order", "", 0, 0, 1},
                      {"disk_cache", "", 0, 0, 1}});
}

Inputs token_inputs() {
  return with_loader(16, 10,
                     {{"samples", "", 2048, 1, 100'000},
                      {"median", "", 200, 1, 100'000},
                      {"spread", "%", 100, 0, 300}},
                     {{"context", "", 1024, 8, 131'072},
                      {"longest", "", 0, 0, 1},
                      {"bucket", "", 0, 0, 1000},
                      {"packed", "", 0, 0, 1}});
}

std::int64_t number_of(const calculate::Chosen& chosen, std::string_view name) {
  const auto inputs = chosen.inputs();
  const bool known = std::ranges::find(inputs, name, &calculate::Input::name) != inputs.end();
  return known ? chosen.number(name) : 0;
}

}  // namespace

std::span<const simulate::Simulation> subjects() {
  static const std::vector<simulate::Simulation> all = {
      {.id = "images", .inputs = image_inputs(), .run = nullptr},
      {.id = "tokens", .inputs = token_inputs(), .run = nullptr}};
  return all;
}

base::Result<simulate::Experiment> question_of(std::string_view subject,
                                               const std::vector<std::string>& settings,
                                               std::string_view over) {
  const bool known =
      std::ranges::find(subjects(), subject, &simulate::Simulation::id) != subjects().end();
  if (!known)
    return text::fail("loader_error.no_subject",
                      {{"name", std::string(subject)}, {"known", "images, tokens"}});
  return simulate::experiment_of(subjects(), subject, settings, over);
}

Plan plan_of(const calculate::Chosen& chosen) {
  const auto number = [&](const char* name) { return number_of(chosen, name); };
  const auto size = [&](const char* name) { return static_cast<std::size_t>(number(name)); };
  const auto on = [&](const char* name) { return number(name) != 0; };
  constexpr std::int64_t kMiB = 1 << 20;
  return {.images = number("side") != 0,
          .samples = size("samples"),
          .sharded = on("sharded"),
          .shard_samples = size("shard_samples"),
          .seed = size("seed"),
          .image_width = size("image_width"),
          .image_height = size("image_height"),
          .quality = static_cast<int>(number("quality")),
          .median = size("median"),
          .spread = size("spread"),
          .broken = size("broken"),
          .empty = size("empty_shards"),
          .batches = size("batches"),
          .batch = size("batch"),
          .workers = size("workers"),
          .processes = on("processes"),
          .piped = on("piped"),
          .prefetch = size("prefetch"),
          .shuffle = size("shuffle"),
          .side = size("side"),
          .scaled_decode = on("scaled_decode"),
          .stacked = on("stacked"),
          .context = size("context"),
          .packed = on("packed"),
          .longest = on("longest"),
          .bucket = size("bucket"),
          .memory_cache = number("memory_mib") * kMiB,
          .known_order = on("known_order"),
          .disk_cache = on("disk_cache"),
          .mapped = on("mapped"),
          .preload = on("preload"),
          .cold = on("cold"),
          .dying = size("dying_workers"),
          .step_s = static_cast<double>(number("step_ms")) * 1e-3};
}

}  // namespace ts::loader
