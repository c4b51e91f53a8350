#include "kernels/compiled/compiled_workload.h"

#include "core/spec/workload_math.h"
#include "kernels/compiled/package.h"
#include "kernels/compiled/package_request.h"

namespace ts::kernels {
namespace {

class CompiledWorkload final : public Workload {
 public:
  CompiledWorkload(std::unique_ptr<Workload> eager, const Builder& builder,
                   const spec::WorkloadSpec& spec, const std::filesystem::path& package,
                   const std::string& key)
      : eager_(std::move(eager)),
        trains_(spec::has_backward(spec.pass)),
        package_(package, key, trains_) {
    for (std::int64_t i = 0; i < spec::micro_batches(spec); ++i) {
      tensors_.push_back(step_tensors(builder, spec, i));
    }
  }

  at::Tensor forward() override {
    const std::vector<at::Tensor>& tensors = tensors_[micro_batch_];
    return trains_ ? package_.loss(tensors) : package_.output(tensors);
  }
  at::Tensor loss(at::Tensor output) override { return output; }
  void select_micro_batch(std::int64_t index) override {
    micro_batch_ = static_cast<std::size_t>(index);
  }
  void next_batch() override { eager_->next_batch(); }

 private:
  std::unique_ptr<Workload> eager_;
  bool trains_;
  CompiledPackage package_;
  std::vector<std::vector<at::Tensor>> tensors_;  // of each micro-batch
  std::size_t micro_batch_ = 0;
};

}  // namespace

std::unique_ptr<Workload> make_compiled(std::unique_ptr<Workload> eager, const Builder& builder,
                                        const spec::WorkloadSpec& spec,
                                        const std::filesystem::path& package,
                                        const std::string& key) {
  return std::make_unique<CompiledWorkload>(std::move(eager), builder, spec, package, key);
}

}  // namespace ts::kernels
