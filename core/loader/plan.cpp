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
  Inputs inputs = {{.name = "workers", .start = 2, .least = 0, .most = 64},
                   {.name = "prefetch", .start = 2, .least = 1, .most = 64},
                   {.name = "processes", .start = 0, .least = 0, .most = 1},
                   {.name = "piped", .start = 0, .least = 0, .most = 1},
                   {.name = "batch", .start = batch, .least = 1, .most = 4096},
                   {.name = "batches", .start = 32, .least = 2, .most = 1000},
                   {.name = "step_ms", .unit = "ms", .start = step_ms, .least = 0, .most = 10'000},
                   {.name = "shuffle", .start = 64, .least = 0, .most = 1'000'000}};
  add(inputs, of_loading);
  add(inputs, {{.name = "sharded", .start = 0, .least = 0, .most = 1},
               {.name = "mapped", .start = 0, .least = 0, .most = 1},
               {.name = "preload", .start = 0, .least = 0, .most = 1},
               {.name = "cold", .start = 0, .least = 0, .most = 1}});
  add(inputs, of_data);
  add(inputs, {{.name = "shard_samples", .start = 64, .least = 1, .most = 100'000},
               {.name = "seed", .start = 1, .least = 0, .most = 1'000'000'000},
               {.name = "broken", .start = 0, .least = 0, .most = 1000},
               {.name = "empty_shards", .start = 0, .least = 0, .most = 100},
               {.name = "dying_workers", .start = 0, .least = 0, .most = 63}});
  return inputs;
}

Inputs image_inputs() {
  return with_loader(16, 30,
                     {{.name = "samples", .start = 256, .least = 1, .most = 100'000},
                      {.name = "image_width", .start = 640, .least = 16, .most = 4096},
                      {.name = "image_height", .start = 480, .least = 16, .most = 4096},
                      {.name = "quality", .start = 85, .least = 1, .most = 100}},
                     {{.name = "side", .start = 224, .least = 16, .most = 2048},
                      {.name = "scaled_decode", .start = 1, .least = 0, .most = 1},
                      {.name = "stacked", .start = 0, .least = 0, .most = 1},
                      {.name = "memory_mib", .unit = "MiB", .start = 0, .least = 0, .most = 65'536},
                      {.name = "known_order", .start = 0, .least = 0, .most = 1},
                      {.name = "disk_cache", .start = 0, .least = 0, .most = 1}});
}

Inputs token_inputs() {
  return with_loader(16, 10,
                     {{.name = "samples", .start = 2048, .least = 1, .most = 100'000},
                      {.name = "median", .start = 200, .least = 1, .most = 100'000},
                      {.name = "spread", .unit = "%", .start = 100, .least = 0, .most = 300}},
                     {{.name = "context", .start = 1024, .least = 8, .most = 131'072},
                      {.name = "longest", .start = 0, .least = 0, .most = 1},
                      {.name = "bucket", .start = 0, .least = 0, .most = 1000},
                      {.name = "packed", .start = 0, .least = 0, .most = 1}});
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
