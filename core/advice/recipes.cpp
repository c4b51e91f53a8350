#include "core/advice/recipes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "core/predict/hunt_map.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/text/joined.h"

namespace ts::advice {
namespace {

using Change = std::function<void(spec::WorkloadSpec&)>;

// Whether one of the settings stays.
bool keeps(const RecipeSpace& space, std::initializer_list<spec::Field> fields) {
  return std::ranges::any_of(
      fields, [&](spec::Field field) { return std::ranges::count(space.kept, field) > 0; });
}

// The settings' own value comes along, last, where the list lacks it.
template <class Value>
std::vector<Change> changes(std::vector<Value> values, Value own, Value spec::WorkloadSpec::*member,
                            bool stays) {
  if (stays) values.clear();
  if (std::ranges::find(values, own) == values.end()) values.push_back(own);
  std::vector<Change> all;
  for (const Value value : values) {
    all.emplace_back([=](spec::WorkloadSpec& spec) { spec.*member = value; });
  }
  return all;
}

std::vector<Change> precisions(const spec::WorkloadSpec& settings, const RecipeSpace& space) {
  struct Precision {
    spec::DataType dtype;
    spec::Autocast autocast;
    bool scaler;
    bool operator==(const Precision&) const = default;
  };
  using D = spec::DataType;
  using A = spec::Autocast;
  std::vector<Precision> all = {{D::bf16, A::off, false},
                                {D::fp32, A::bf16, false},
                                {D::fp32, A::fp16, true},
                                {D::tf32, A::off, false},
                                {D::fp32, A::off, false}};
  // Updates of fp16 parameters vanish, so fp16 alone is for passes without them.
  if (!spec::has_backward(settings.pass)) all.push_back({D::fp16, A::off, false});
  Precision own{settings.dtype, settings.autocast, settings.grad_scaler};
  if (!spec::field_applies(settings, spec::Field::autocast)) own.autocast = A::off;
  if (own.autocast == A::off || !spec::field_applies(settings, spec::Field::grad_scaler)) {
    own.scaler = false;
  }
  if (keeps(space, {spec::Field::dtype, spec::Field::autocast})) all.clear();
  std::vector<Change> list;
  bool seen = false;
  const auto add = [&](const Precision& one) {
    list.emplace_back([one](spec::WorkloadSpec& spec) {
      spec.dtype = one.dtype;
      spec.autocast = one.autocast;
      spec.grad_scaler = one.scaler;
    });
  };
  for (const Precision& one : all) {
    seen = seen || one == own;
    add(one);
  }
  if (!seen) add(own);
  return list;
}

std::vector<Change> backends(const spec::WorkloadSpec& settings, const RecipeSpace& space) {
  using A = spec::AttentionBackend;
  if (!spec::field_applies(settings, spec::Field::backend)) return {[](spec::WorkloadSpec&) {}};
  // `automatic` is one of these, but no formula says which; tiles in operators are for study.
  std::vector<A> all = {A::flash, A::cudnn, A::efficient, A::own, A::math, A::naive};
  // Its kernels were never timed on a GPU, so that the roofline's bound says nothing of them.
  if (settings.device == spec::DeviceKind::cuda) std::erase(all, A::own);
  const bool stays = keeps(space, {spec::Field::backend});
  const bool formula = settings.backend != A::automatic || stays;
  return changes(std::move(all), formula ? settings.backend : A::naive,
                 &spec::WorkloadSpec::backend, stays);
}

std::vector<Change> checkpoints(const spec::WorkloadSpec& settings, const RecipeSpace& space) {
  using C = spec::Checkpoint;
  if (!spec::field_applies(settings, spec::Field::checkpoint)) {
    return {[](spec::WorkloadSpec&) {}};
  }
  return changes({C::off, C::attention, C::blocks}, settings.checkpoint,
                 &spec::WorkloadSpec::checkpoint, keeps(space, {spec::Field::checkpoint}));
}

std::vector<Change> optimizers(const spec::WorkloadSpec& settings, const RecipeSpace& space) {
  using O = spec::OptimizerKind;
  if (!spec::field_applies(settings, spec::Field::optimizer)) {
    return {[](spec::WorkloadSpec&) {}};
  }
  // Another algorithm is not replaced.
  const bool stays =
      !spec::is_plain_adamw(settings.optimizer) || keeps(space, {spec::Field::optimizer});
  return changes({O::adamw_fused, O::adamw_foreach, O::adamw_loop}, settings.optimizer,
                 &spec::WorkloadSpec::optimizer, stays);
}

std::vector<Change> batches(const spec::WorkloadSpec& settings, const RecipeSpace& space) {
  std::vector<Change> all;
  const auto add = [&](std::int64_t batch, std::int64_t accumulate) {
    all.emplace_back([=](spec::WorkloadSpec& spec) {
      spec.batch = batch;
      spec.accumulate = accumulate;
    });
  };
  const bool stays = keeps(space, {spec::Field::B, spec::Field::accumulate}) ||
                     !spec::field_applies(settings, spec::Field::B);
  if (stays) {
    add(settings.batch, settings.accumulate);
  } else if (space.free_batch) {
    constexpr std::size_t kMost = 20;
    const std::int64_t largest = std::max<std::int64_t>(
        settings.batch, spec::field_as<spec::NumberField>(spec::Field::B)->slider.max);
    for (const std::int64_t batch :
         predict::map_values({spec::Field::B, 1, largest}, kMost, settings.batch)) {
      add(batch, settings.accumulate);
    }
  } else if (spec::field_applies(settings, spec::Field::accumulate)) {
    const std::int64_t total = settings.batch * settings.accumulate;
    const std::int64_t most = std::max(kMostMicroBatches, settings.accumulate);
    for (std::int64_t micro = 1; micro <= std::min(total, most); ++micro) {
      if (total % micro == 0) add(total / micro, micro);
    }
  } else {
    add(settings.batch, settings.accumulate);
  }
  return all;
}

// Equal numbers are bounds that differ by rounding alone.
std::int64_t rank_of(const Recipe& recipe) {
  return std::llround(std::log(recipe.tokens_per_s) * 1e9);
}

constexpr std::array kVaried = {
    spec::Field::dtype,     spec::Field::autocast, spec::Field::backend,   spec::Field::checkpoint,
    spec::Field::optimizer, spec::Field::B,        spec::Field::accumulate};

}  // namespace

bool can_be_kept(spec::Field field) {
  return std::ranges::count(kVaried, field) > 0;
}

std::string kept_names() {
  return text::joined(kVaried, ", ", spec::field_name);
}

bool asks_the_same(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b) {
  spec::WorkloadSpec same = b;
  same.dtype = a.dtype;
  same.autocast = a.autocast;
  same.grad_scaler = a.grad_scaler;
  same.backend = a.backend;
  same.checkpoint = a.checkpoint;
  same.optimizer = a.optimizer;
  same.batch = a.batch;
  same.accumulate = a.accumulate;
  same.device = a.device;
  return same == a;
}

std::vector<Recipe> recipes_of(const spec::WorkloadSpec& settings, spec::DeviceKind device,
                               const RecipeSpace& space, const RoofsOf& roofs) {
  spec::WorkloadSpec base = settings;
  base.device = device;
  std::vector<Recipe> all;
  if (spec::tokens_per_step(base) == 0) return all;  // the file has no open batch
  std::map<spec::DataType, report::Roofs> known;
  const auto roofs_for = [&](spec::DataType type) -> const report::Roofs& {
    const auto found = known.find(type);
    return found != known.end() ? found->second : known.emplace(type, roofs(type)).first->second;
  };
  const auto precision = precisions(base, space);
  const auto backend = backends(base, space);
  const auto checkpoint = checkpoints(base, space);
  const auto optimizer = optimizers(base, space);
  const auto batch = batches(base, space);
  for (std::size_t p = 0; p < precision.size(); ++p) {
    for (std::size_t a = 0; a < backend.size(); ++a) {
      for (std::size_t c = 0; c < checkpoint.size(); ++c) {
        for (std::size_t o = 0; o < optimizer.size(); ++o) {
          for (const Change& change : batch) {
            Recipe recipe;
            recipe.spec = base;
            recipe.precision = p;
            recipe.backend = a;
            recipe.checkpoint = c;
            recipe.optimizer = o;
            precision[p](recipe.spec);
            backend[a](recipe.spec);
            checkpoint[c](recipe.spec);
            optimizer[o](recipe.spec);
            change(recipe.spec);
            if (!spec::validate(recipe.spec).empty()) continue;
            const auto bound = step_bound(recipe.spec, recipe.spec.backend,
                                          roofs_for(spec::compute_type(recipe.spec)));
            if (!bound) continue;
            recipe.bound = *bound;
            recipe.tokens_per_s =
                static_cast<double>(spec::tokens_per_step(recipe.spec)) / bound->seconds;
            all.push_back(std::move(recipe));
          }
        }
      }
    }
  }
  std::ranges::stable_sort(all, std::less<>(), [](const Recipe& one) {
    return std::tuple(-rank_of(one), one.precision, -one.spec.batch, one.backend, one.checkpoint,
                      one.optimizer);
  });
  return all;
}

std::int64_t state_bytes(const spec::WorkloadSpec& spec) {
  if (spec.pass != spec::Pass::full_step) return 0;
  const std::int64_t element = spec::bytes_of(spec.dtype);
  const std::int64_t moments = spec::moment_bytes(spec);
  const bool has_master = spec::optimizer_state(spec) == spec::OptimizerState::fp32_master;
  const std::int64_t master = has_master ? 4 : 0;
  if (spec::trains_adapters(spec)) {
    const std::int64_t trained = spec::trained_count(spec);
    return (spec::parameter_count(spec) - trained) * element + trained * (2 * 4 + moments);
  }
  return spec::parameter_count(spec) * element +
         spec::trained_count(spec) * (element + moments + master);
}

}  // namespace ts::advice
