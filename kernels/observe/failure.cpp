#include "kernels/observe/failure.h"

#include <mutex>
#include <new>

#include "core/text/message.h"
#include "core/text/numbers.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/module_scope.h"
#include "kernels/observe/recording.h"
#include "kernels/observe/thread_state.h"

namespace ts::kernels {
namespace {

struct Refusal {
  OutOfBudget::Numbers numbers;
  std::string op;
  std::string module;
};
std::mutex refusal_mutex;
std::optional<Refusal> last_refusal;

std::optional<Refusal> take_refusal() {
  const std::lock_guard lock(refusal_mutex);
  return std::exchange(last_refusal, std::nullopt);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

OutOfBudget::OutOfBudget(const Numbers& numbers, std::string op, std::string module)
    : c10::OutOfMemoryError("out of memory"),
      numbers_(numbers),
      op_(std::move(op)),
      module_(std::move(module)) {}

std::string open_operator() {
  Recording* const recording = Recording::active();
  ThreadState* const state = recording != nullptr ? recording->known_thread() : nullptr;
  const Frame* const frame = state != nullptr ? state->top() : nullptr;
  if (frame == nullptr) return {};
  return std::string(recording->strings().view(frame->memory_op));
}

std::string open_module() {
  Recording* const recording = Recording::active();
  ThreadState* const state = recording != nullptr ? recording->known_thread() : nullptr;
  const Frame* const frame = state != nullptr ? state->top() : nullptr;
  // A backward operator has a module only in its frame; without a recording only the forward's
  // modules are known.
  if (frame != nullptr && frame->module != base::kNoString) {
    return std::string(recording->strings().view(frame->module));
  }
  return ModuleScope::open_path();
}

void note_refusal(std::int64_t asked, std::int64_t free, std::int64_t limit) {
  note_refusal({asked, free, limit});
}

void note_refusal(const OutOfBudget::Numbers& numbers) {
  Refusal refusal{numbers, open_operator(), open_module()};
  const std::lock_guard lock(refusal_mutex);
  last_refusal = std::move(refusal);
}

run::Failure out_of_memory(const OutOfBudget::Numbers& numbers, std::string op,
                           std::string module) {
  std::vector<base::Argument> arguments = {run::who_asked(op, module),
                                           {"asked", text::bytes(numbers.asked).joined()},
                                           {"free", text::bytes(numbers.free).joined()}};
  if (numbers.by_system)
    return run::Failure(text::message("engine.system_refused", std::move(arguments)));
  arguments.push_back({"all", text::bytes(numbers.limit).joined()});
  run::Failure failure(text::message("memory_error.out_of_memory", std::move(arguments)),
                       run::Verdict::oom);
  failure.bytes_asked = numbers.asked;
  failure.bytes_free = numbers.free;
  failure.bytes_limit = numbers.limit;
  failure.op = std::move(op);
  failure.module = std::move(module);
  return failure;
}

std::optional<run::Failure> swallowed_refusal() {
  auto refusal = take_refusal();
  if (!refusal) return std::nullopt;
  return out_of_memory(refusal->numbers, std::move(refusal->op), std::move(refusal->module));
}

run::Failure current_failure() noexcept {
  const auto libtorch = [](const std::string& what) {
    return run::Failure(text::message("engine.libtorch", {{"reason", first_line(what)}}));
  };
  try {
    throw;
  } catch (const Cancelled&) {
    return run::Failure(text::message("engine.cancelled"), run::Verdict::cancelled);
  } catch (const OutOfBudget& error) {
    take_refusal();
    return out_of_memory(error.numbers(), error.op(), error.module());
  } catch (const c10::OutOfMemoryError& error) {
    if (auto refused = swallowed_refusal()) return std::move(*refused);
    return run::Failure({first_line(error.what_without_backtrace())}, run::Verdict::oom);
  } catch (const c10::Error& error) {
    return libtorch(error.what_without_backtrace());
  } catch (const BadInput& error) {
    return run::Failure(error.message());
  } catch (const std::bad_alloc&) {
    return run::Failure(text::message("engine.no_memory"));
  } catch (const std::exception& error) {
    return libtorch(error.what());
  } catch (...) {
    return run::Failure(text::message("engine.unknown"));
  }
}

}  // namespace ts::kernels
