#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/exported/program.h"

namespace ts::exported {

// The program of a model.json. Every value is computed before it is used and only once, numbers are
// whole where they are sizes, names are printable. The error is the end of a sentence about the
// file.
base::Result<Program> read_program(std::string_view json);

// A tensor that the file holds: weights and constants by their name.
struct Payload {
  std::string member;    // of the archive, without its folder; "weight_0"
  TensorMeta meta;       // its sizes are numbers
  bool pickled = false;  // not read: it would have to be executed
};
base::Result<std::map<std::string, Payload>> read_payloads(std::string_view json);

}  // namespace ts::exported
