#include "tests/views/synthetic_run.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace ts::views::testing {
namespace {

using base::Phase;
using memory::Action;
using memory::Category;
using trace::SliceClass;

run::Run empty_run() {
  run::StartedUpdate started;
  started.id = 1;
  started.begin_ns = 5'000'000'000;
  return run::Run(started);
}

struct Stopped {};

class Transformer {
 public:
  Transformer(run::Run& run, base::StringTable& strings, const TransformerShape& shape)
      : run_(run), strings_(strings), shape_(shape), random_(shape.seed) {
    now_ = run.begin_ns;
    phases_ = run_.trace.add_track({trace::TrackKind::phases, ""});
    main_ = run_.trace.add_track({trace::TrackKind::cpu_thread, "worker"});
    autograd_ = run_.trace.add_track({trace::TrackKind::autograd_thread, "autograd 0"});
  }

  void go() {
    try {
      set_up();
      for (step_ = 0; step_ < shape_.steps; ++step_) one_step();
    } catch (const Stopped&) {
      flush();
    }
  }

 private:
  std::int64_t jitter(std::int64_t around) {
    std::uniform_real_distribution<double> factor(0.7, 1.4);
    return static_cast<std::int64_t>(static_cast<double>(around) * factor(random_));
  }

  void slice(trace::TrackId track, std::uint16_t depth, std::int64_t begin, std::int64_t end,
             const std::string& name, SliceClass slice_class, std::uint32_t flow = 0,
             const std::string& detail = {}) {
    trace::Slice out;
    out.begin_ns = begin;
    out.duration_ns = end - begin;
    out.name = strings_.intern(name);
    out.module = strings_.intern(module_);
    out.detail = detail.empty() ? base::kNoString : strings_.intern(detail);
    out.flow = flow;
    out.slice_class = slice_class;
    pending_.push_back({track, depth, out});
  }

  // Slices are written when they end, as the recorder does; lanes want them by begin.
  void flush() {
    std::stable_sort(pending_.begin(), pending_.end(), [](const auto& a, const auto& b) {
      return a.slice.begin_ns < b.slice.begin_ns;
    });
    for (const Row& row : pending_) run_.trace.append(row.track, row.depth, row.slice);
    pending_.clear();
  }

  memory::Record record(Action action) {
    memory::Record out;
    out.time_ns = now_;
    out.action = action;
    out.op = strings_.intern(op_);
    out.module = strings_.intern(module_);
    out.step = step_;
    out.phase = phase_;
    out.graph_kept = phase_ == Phase::forward || phase_ == Phase::loss || again_;
    return out;
  }

  std::uint64_t alloc(std::int64_t size) {
    if (shape_.memory_limit > 0 && run_.memory.current_bytes() + size > shape_.memory_limit) {
      memory::Record out = record(Action::oom);
      out.size = size;
      run_.memory.append(out);
      throw Stopped();
    }
    memory::Record out = record(Action::alloc);
    out.address = next_address_;
    out.size = size;
    next_address_ += 4096;
    run_.memory.append(out);
    return out.address;
  }
  void free(std::uint64_t address) {
    memory::Record out = record(Action::free_completed);
    out.address = address;
    run_.memory.append(out);
  }
  void own(std::uint64_t address, Category category) {
    memory::Record out = record(Action::owner);
    out.address = address;
    out.category = category;
    run_.memory.append(out);
  }

  void open_phase(Phase phase) {
    phase_ = phase;
    phase_begin_ = now_;
    run_.memory.append(record(Action::phase_begin));
  }
  void close_phase() {
    run_.memory.append(record(Action::phase_end));
    constexpr SliceClass kClasses[] = {SliceClass::setup,     SliceClass::forward,
                                       SliceClass::loss,      SliceClass::backward,
                                       SliceClass::optimizer, SliceClass::other};
    constexpr const char* kNames[] = {"setup", "forward", "loss", "backward", "optimizer", "idle"};
    const std::string module = module_;
    module_.clear();
    const auto index = static_cast<std::size_t>(phase_);
    slice(phases_, step_ < 0 ? 0 : 1, phase_begin_, now_, kNames[index], kClasses[index]);
    module_ = module;
    flush();
  }

  void part_done(double part) {
    const bool last = step_ + 1 == shape_.steps;
    if (last && part >= shape_.stop_after && shape_.stop_after < 1) throw Stopped();
  }

  void set_up() {
    step_ = -1;
    open_phase(Phase::setup);
    for (int layer = 0; layer < shape_.layers; ++layer) {
      module_ = "blocks." + std::to_string(layer);
      for (const std::int64_t divisor : {1, 1, 2, 4, 8}) {
        op_ = "aten::empty";
        const std::uint64_t address = alloc(shape_.parameter_bytes / divisor);
        own(address, Category::parameter);
        parameters_.push_back(shape_.parameter_bytes / divisor);
        now_ += jitter(shape_.operator_ns / 4);
      }
    }
    module_ = "tokens";
    op_ = "aten::randint";
    own(alloc(std::int64_t{1} << 20), Category::input);
    close_phase();
    now_ += jitter(shape_.operator_ns);
  }

  struct OpRule {
    const char* name;
    SliceClass slice_class;
    int length;          // in units of operator_ns / 8
    std::int64_t saved;  // activation bytes as a divisor of activation_bytes; 0 none
    const char* node;
  };
  static constexpr OpRule kAttention[] = {
      {"aten::rms_norm", SliceClass::norm, 3, 32, "RmsNormBackward0"},
      {"aten::linear", SliceClass::matmul, 9, 10, "MmBackward0"},
      {"aten::mul", SliceClass::elementwise, 2, 32, "MulBackward0"},
      {"aten::bmm", SliceClass::matmul, 8, 1, "BmmBackward0"},
      {"aten::_softmax", SliceClass::softmax, 12, 1, "SoftmaxBackward0"},
      {"aten::bmm", SliceClass::matmul, 8, 32, "BmmBackward0"},
      {"aten::linear", SliceClass::matmul, 6, 32, "MmBackward0"}};
  static constexpr OpRule kFeedForward[] = {
      {"aten::rms_norm", SliceClass::norm, 3, 32, "RmsNormBackward0"},
      {"aten::linear", SliceClass::matmul, 10, 12, "MmBackward0"},
      {"aten::silu", SliceClass::elementwise, 3, 12, "SiluBackward0"},
      {"aten::mul", SliceClass::elementwise, 2, 12, "MulBackward0"},
      {"aten::_to_copy", SliceClass::copy, 2, 0, "ToCopyBackward0"},
      {"aten::linear", SliceClass::matmul, 10, 32, "MmBackward0"}};

  struct Saved {
    const OpRule* rule;
    std::string module;
    std::uint32_t flow;
    std::vector<std::uint64_t> blocks;
  };

  void forward_op(const OpRule& rule, std::uint16_t depth) {
    op_ = rule.name;
    const std::int64_t begin = now_;
    now_ += jitter(400);
    const std::uint64_t scratch = alloc(shape_.activation_bytes / 24);
    const std::uint32_t flow = ++flows_;
    Saved saved{&rule, module_, flow, {}};
    if (rule.saved > 0) saved.blocks.push_back(alloc(shape_.activation_bytes / rule.saved));
    const std::int64_t inner = now_;
    now_ += jitter(shape_.operator_ns / 8 * rule.length);
    free(scratch);
    slice(main_, static_cast<std::uint16_t>(depth + 1), inner, now_ - 200,
          std::string(rule.name) == "aten::linear" ? "aten::mm" : std::string(rule.name) + "_out",
          rule.slice_class);
    slice(main_, depth, begin, now_, rule.name, rule.slice_class, flow,
          "[4, 12, 2048, 64] bf16, [4, 12, 64, 2048] bf16");
    run_.memory.append(record(Action::operator_end));
    now_ += jitter(1500);
    saved_.push_back(std::move(saved));
  }

  void one_step() {
    const std::int64_t step_begin = now_;
    const std::string step_name = "step " + std::to_string(step_);
    try {
      step_parts();
    } catch (const Stopped&) {
      close_phase();
      module_.clear();
      slice(phases_, 0, step_begin, now_, step_name, SliceClass::step);
      flush();
      throw;
    }
    module_.clear();
    slice(phases_, 0, step_begin, now_, step_name, SliceClass::step);
    flush();
    now_ += jitter(shape_.operator_ns / 2);
  }

  void step_parts() {
    for (int i = 0; i < shape_.micro_batches; ++i) micro_batch();
    open_phase(Phase::optimizer);
    optimizer();
    close_phase();
  }

  void micro_batch() {
    open_phase(Phase::forward);
    const std::int64_t forward_begin = now_;
    for (int layer = 0; layer < shape_.layers; ++layer) {
      const std::string block = "blocks." + std::to_string(layer);
      const std::int64_t begin = now_;
      for (const bool attention : {true, false}) {
        module_ = block + (attention ? ".attn" : ".mlp");
        const std::int64_t part_begin = now_;
        if (attention) {
          for (const OpRule& rule : kAttention) forward_op(rule, 3);
        } else {
          for (const OpRule& rule : kFeedForward) forward_op(rule, 3);
        }
        slice(main_, 2, part_begin, now_, module_, SliceClass::module);
      }
      module_ = block;
      slice(main_, 1, begin, now_, block, SliceClass::module);
      part_done(0.4 * (layer + 1) / shape_.layers);
    }
    module_.clear();
    slice(main_, 0, forward_begin, now_, "LM.forward", SliceClass::module);
    close_phase();

    open_phase(Phase::loss);
    op_ = "aten::cross_entropy_loss";
    const std::int64_t loss_begin = now_;
    const std::uint64_t logits = alloc(shape_.activation_bytes / 3);
    now_ += jitter(shape_.operator_ns * 3);
    slice(main_, 0, loss_begin, now_, "aten::cross_entropy_loss", SliceClass::softmax);
    close_phase();

    open_phase(Phase::backward);
    const std::int64_t backward_begin = now_;
    backward(logits);
    module_.clear();
    slice(main_, 0, backward_begin, now_, "backward() waits for autograd", SliceClass::other);
    close_phase();
  }

  // A layer runs again; what it makes goes when the next one does.
  void run_again(const std::string& layer) {
    for (const std::uint64_t address : made_again_) free(address);
    made_again_.clear();
    again_ = true;
    for (const OpRule& rule : kAttention) {
      module_ = layer + ".attn";
      op_ = rule.name;
      made_again_.push_back(alloc(shape_.activation_bytes / std::max<std::int64_t>(8, rule.saved)));
      now_ += jitter(shape_.operator_ns / 8 * rule.length);
    }
    again_ = false;
  }

  void backward(std::uint64_t logits) {
    free(logits);
    std::vector<std::uint64_t> flowing;
    std::size_t gradient = parameters_.size();
    const double all = static_cast<double>(saved_.size());
    std::string layer_again;
    while (!saved_.empty()) {
      Saved saved = std::move(saved_.back());
      saved_.pop_back();
      const std::string layer = saved.module.substr(0, saved.module.rfind('.'));
      if (shape_.checkpoint && layer != layer_again) run_again(layer_again = layer);
      module_ = saved.module;
      op_ = saved.rule->node;
      const std::int64_t begin = now_;
      now_ += jitter(500);
      flowing.push_back(
          alloc(shape_.activation_bytes / std::max<std::int64_t>(2, saved.rule->saved)));
      const bool weighs = saved.rule->slice_class == SliceClass::matmul ||
                          saved.rule->slice_class == SliceClass::norm;
      if (weighs && gradient > 0 && first_gradients_) {
        const std::uint64_t address = alloc(parameters_[--gradient]);
        own(address, Category::gradient);
        gradients_.push_back(address);
      }
      const std::int64_t inner = now_;
      now_ += jitter(shape_.operator_ns / 4 * saved.rule->length);
      slice(autograd_, 1, inner, now_ - 200, "aten::mm", saved.rule->slice_class);
      slice(autograd_, 0, begin, now_, saved.rule->node, saved.rule->slice_class, saved.flow);
      for (const std::uint64_t block : saved.blocks) free(block);
      if (flowing.size() > 1) {
        free(flowing.front());
        flowing.erase(flowing.begin());
      }
      now_ += jitter(1200);
      part_done(0.4 + 0.5 * (1 - static_cast<double>(saved_.size()) / all));
    }
    for (const std::uint64_t block : flowing) free(block);
    for (const std::uint64_t block : made_again_) free(block);
    made_again_.clear();
    first_gradients_ = false;
  }

  void optimizer() {
    op_ = "aten::_fused_adamw_";
    module_ = "optimizer";
    const std::int64_t begin = now_;
    for (const std::int64_t size : parameters_) {
      if (step_ == 0) {
        own(alloc(size), Category::optimizer_state);
        own(alloc(size), Category::optimizer_state);
      }
      now_ += jitter(shape_.operator_ns / 12);
    }
    slice(main_, 0, begin, now_, "aten::_fused_adamw_", SliceClass::elementwise);
  }

  struct Row {
    trace::TrackId track;
    std::uint16_t depth;
    trace::Slice slice;
  };

  run::Run& run_;
  base::StringTable& strings_;
  const TransformerShape shape_;
  std::mt19937 random_;
  std::int64_t now_ = 0;
  std::int32_t step_ = -1;
  bool first_gradients_ = true;
  bool again_ = false;  // a part of the forward runs in the backward
  Phase phase_ = Phase::setup;
  std::int64_t phase_begin_ = 0;
  std::string op_;
  std::string module_;
  std::uint64_t next_address_ = 0x10000;
  std::uint32_t flows_ = 0;
  trace::TrackId phases_ = 0, main_ = 0, autograd_ = 0;
  std::vector<Row> pending_;
  std::vector<std::int64_t> parameters_;
  std::vector<std::uint64_t> gradients_;
  std::vector<Saved> saved_;
  std::vector<std::uint64_t> made_again_;
};

}  // namespace

std::unique_ptr<run::Run> transformer_run(base::StringTable& strings, TransformerShape shape) {
  auto out = std::make_unique<run::Run>(empty_run());
  Transformer(*out, strings, shape).go();
  out->limit = shape.memory_limit;
  out->stage = shape.stop_after < 1 ? run::Stage::recording : run::Stage::done;
  out->finished = shape.stop_after >= 1;
  return out;
}

void lose_records(run::Run& run, std::uint64_t records) {
  run::BatchUpdate update;
  update.id = run.id;
  update.batch.dropped = records;
  run.apply(std::move(update));
}

}  // namespace ts::views::testing
