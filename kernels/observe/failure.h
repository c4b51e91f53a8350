#pragma once

#include <c10/util/Exception.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/message.h"
#include "core/run/engine.h"

namespace ts::kernels {

// An input of the user that cannot be used, and the reason.
class BadInput : public std::runtime_error {
 public:
  explicit BadInput(base::Message message)
      : std::runtime_error(message.sentence), message_(std::move(message)) {}
  [[nodiscard]] const base::Message& message() const noexcept { return message_; }

 private:
  base::Message message_;
};

// The CPU allocator's refusal. It is an out-of-memory error of LibTorch's kind, so it unwinds
// through autograd and all code that handles such errors.
class OutOfBudget : public c10::OutOfMemoryError {
 public:
  struct Numbers {
    std::int64_t asked = 0;
    std::int64_t free = 0;
    std::int64_t limit = 0;
    // The budget has room but the machine has not: this is no result about the workload.
    bool by_system = false;
  };
  OutOfBudget(const Numbers& numbers, std::string op, std::string module);
  [[nodiscard]] const Numbers& numbers() const noexcept { return numbers_; }
  [[nodiscard]] const std::string& op() const noexcept { return op_; }
  [[nodiscard]] const std::string& module() const noexcept { return module_; }

 private:
  Numbers numbers_;
  std::string op_;
  std::string module_;
};

// Operator and module that this thread is in, as far as known: operators only while recording.
std::string open_operator();
std::string open_module();

// Remembers what an allocator refused, and where, until the error reaches current_failure(); for
// allocators that throw their own error, and for errors that are swallowed. Any thread.
void note_refusal(std::int64_t asked, std::int64_t free, std::int64_t limit);
void note_refusal(const OutOfBudget::Numbers& numbers);
// The last refusal that did not reach it, as out of memory; nothing if there is none.
std::optional<run::Failure> swallowed_refusal();

// Out of memory within the budget; failed if the system refused, because the same settings may fit
// another time.
run::Failure out_of_memory(const OutOfBudget::Numbers& numbers, std::string op, std::string module);

// The exception being handled, as a verdict and a sentence. Call it in a catch block.
run::Failure current_failure() noexcept;

}  // namespace ts::kernels
