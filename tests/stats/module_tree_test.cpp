#include "core/stats/module_tree.h"

#include <gtest/gtest.h>

#include "core/stats/operator_flops.h"

namespace ts::stats {
namespace {

using trace::SliceClass;

TEST(OperatorFlops, matrix_products_by_their_shapes) {
  EXPECT_EQ(operator_flops("aten::mm", "[3, 4] fp32, [4, 5] fp32"), 2 * 3 * 4 * 5);
  EXPECT_EQ(operator_flops("aten::addmm", "[5] bf16, [3, 4] bf16, [4, 5] bf16"), 2 * 3 * 4 * 5);
  EXPECT_EQ(operator_flops("aten::bmm", "[7, 3, 4] fp16, [7, 4, 5] fp16"), 7 * 2 * 3 * 4 * 5);
  EXPECT_EQ(operator_flops("aten::mm", "[3, 4] fp32"), 0) << "cut off";
  EXPECT_EQ(operator_flops("aten::mul", "[3, 4] fp32, [3, 4] fp32"), 0);
  EXPECT_EQ(operator_flops("mm", "[3, 4] fp32, [4, 5] fp32"), 0);
  EXPECT_EQ(operator_flops("aten::mm", ""), 0);
}

TEST(OperatorFlops, fused_attention_and_its_backward) {
  const char* const shapes = "[2, 3, 8, 4] fp32, [2, 3, 16, 4] fp32, [2, 3, 16, 4] fp32";
  const double forward = 4.0 * 2 * 3 * 8 * 16 * 4;
  EXPECT_EQ(operator_flops("aten::_scaled_dot_product_flash_attention_for_cpu", shapes), forward);
  const std::string backward = std::string("[2, 3, 8, 4] fp32, ") + shapes;
  EXPECT_EQ(operator_flops("aten::_scaled_dot_product_flash_attention_for_cpu_backward", backward),
            2.5 * forward);
  EXPECT_EQ(operator_flops("aten::_scaled_dot_product_attention_math", shapes), 0)
      << "its products count themselves";
}

// One step: forward 0 to 1000, backward from 1000 on, on one thread.
class ModuleTreeTest : public testing::Test {
 protected:
  ModuleTreeTest() {
    phases_ = store_.add_track({trace::TrackKind::phases, "phases"});
    worker_ = store_.add_track({trace::TrackKind::cpu_thread, "worker"});
    slice(phases_, 0, 0, 2000, "", "", SliceClass::step);
    slice(phases_, 1, 0, 1000, "", "", SliceClass::forward);
    slice(phases_, 1, 1000, 1000, "", "", SliceClass::backward);
  }
  void slice(trace::TrackId track, std::uint16_t depth, std::int64_t begin, std::int64_t duration,
             const char* name, const char* module, SliceClass kind, const char* shape = "") {
    trace::Slice one;
    one.begin_ns = begin;
    one.duration_ns = duration;
    one.name = strings_.intern(name);
    one.module = strings_.intern(module);
    one.detail = strings_.intern(shape);
    one.slice_class = kind;
    ASSERT_TRUE(store_.append(track, depth, one));
  }
  void op(std::int64_t begin, std::int64_t duration, const char* name, const char* module,
          std::uint16_t depth = 0, const char* shape = "") {
    slice(worker_, depth, begin, duration, name, module, SliceClass::matmul, shape);
  }
  std::uint64_t block(std::int64_t size, const char* op, const char* module, memory::Category owner,
                      base::Phase phase, std::int32_t step) {
    memory::Record record;
    record.time_ns = ++time_;
    record.address = ++address_;
    record.size = size;
    record.op = strings_.intern(op);
    record.module =
        owner == memory::Category::parameter ? base::kNoString : strings_.intern(module);
    record.phase = phase;
    record.step = step;
    memory_.append(record);
    if (owner == memory::Category::unknown) return address_;
    memory::Record owned;
    owned.action = memory::Action::owner;
    owned.time_ns = ++time_;
    owned.address = address_;
    owned.category = owner;
    if (owner == memory::Category::parameter) owned.module = strings_.intern(module);
    memory_.append(owned);
    return address_;
  }
  const ModuleNode& node(const ModuleTree& tree, std::initializer_list<const char*> path) {
    std::uint32_t at = 0;
    for (const char* const name : path) {
      bool found = false;
      for (const std::uint32_t child : tree.nodes[at].children) {
        if (tree.nodes[child].name != name) continue;
        at = child;
        found = true;
        break;
      }
      EXPECT_TRUE(found) << name;
    }
    return tree.nodes[at];
  }
  ModuleTree tree() { return module_tree(store_, memory_, strings_); }

  trace::TraceStore store_;
  memory::AllocationLog memory_;
  base::StringTable strings_;
  trace::TrackId phases_ = 0, worker_ = 0;
  std::int64_t time_ = 0;
  std::uint64_t address_ = 0;
};

TEST_F(ModuleTreeTest, parts_add_up_to_their_whole) {
  op(0, 100, "aten::linear", "blocks.0.attn.q_proj");
  op(10, 80, "aten::mm", "blocks.0.attn.q_proj", 1, "[2, 3] fp32, [3, 4] fp32");
  op(200, 50, "aten::add", "blocks.0");
  op(300, 70, "aten::mm", "blocks.1.attn.q_proj", 0, "[2, 3] fp32, [3, 4] fp32");
  op(1000, 200, "aten::mm", "blocks.0.attn.q_proj", 0, "[4, 2] fp32, [2, 3] fp32");
  op(1500, 30, "aten::sum", "");
  const ModuleTree made = tree();
  EXPECT_EQ(made.steps, 1);
  const ModuleNode& q = node(made, {"blocks", "0", "attn", "q_proj"});
  EXPECT_EQ(q.forward_ns, 100);
  EXPECT_EQ(q.backward_ns, 200);
  EXPECT_EQ(q.flops, 2 * 2 * 3 * 4 + 2 * 4 * 2 * 3);
  EXPECT_EQ(node(made, {"blocks", "0", "attn", "q_proj", "aten::linear"}).forward_ns, 20);
  EXPECT_EQ(node(made, {"blocks", "0"}).total_ns(), 350);
  EXPECT_EQ(node(made, {"blocks"}).total_ns(), 420);
  EXPECT_EQ(made.nodes[0].total_ns(), 450);
  EXPECT_EQ(made.nodes[0].calls, 6);
  EXPECT_EQ(node(made, {"aten::sum"}).backward_ns, 30);
  EXPECT_EQ(made.nodes[made.nodes[0].children[0]].name, "blocks") << "most time first";
}

TEST_F(ModuleTreeTest, parameters_stand_with_their_module) {
  block(4 * 12, "aten::empty", "blocks.0.attn.q_proj.weight", memory::Category::parameter,
        base::Phase::setup, -1);
  block(4 * 8, "aten::empty", "norm.weight", memory::Category::parameter, base::Phase::setup, -1);
  const ModuleTree made = tree();
  EXPECT_EQ(node(made, {"blocks", "0", "attn", "q_proj"}).parameter_bytes, 48);
  EXPECT_EQ(node(made, {"blocks"}).parameter_bytes, 48);
  EXPECT_EQ(made.nodes[0].parameter_bytes, 80);
}

TEST_F(ModuleTreeTest, what_the_loss_alone_reads_is_not_kept_for_the_backward) {
  const auto mark = [&](memory::Action action, base::Phase phase) {
    memory::Record record;
    record.time_ns = ++time_;
    record.action = action;
    record.phase = phase;
    record.step = 0;
    memory_.append(record);
  };
  const auto release = [&](std::uint64_t address) {
    memory::Record record;
    record.time_ns = ++time_;
    record.action = memory::Action::free_completed;
    record.address = address;
    memory_.append(record);
  };
  mark(memory::Action::phase_begin, base::Phase::forward);
  const auto kept =
      block(100, "aten::relu", "fc", memory::Category::activation, base::Phase::forward, 0);
  const auto logits =
      block(30, "aten::mm", "head", memory::Category::activation, base::Phase::forward, 0);
  mark(memory::Action::phase_end, base::Phase::forward);
  mark(memory::Action::phase_begin, base::Phase::loss);
  release(logits);
  mark(memory::Action::phase_end, base::Phase::loss);
  EXPECT_EQ(tree().nodes[0].kept_bytes, 130) << "no backward has begun";
  mark(memory::Action::phase_begin, base::Phase::backward);
  release(kept);
  mark(memory::Action::phase_end, base::Phase::backward);
  EXPECT_EQ(tree().nodes[0].kept_bytes, 100);
}

}  // namespace
}  // namespace ts::stats
