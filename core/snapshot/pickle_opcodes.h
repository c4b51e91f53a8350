#pragma once

#include <cstdint>
#include <string_view>

namespace ts::snapshot::pickle {

// The opcodes of pickle protocols 2 to 5 for data without objects, with the names of Python's
// pickletools.py, which defines all opcodes.
enum Opcode : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kBinfloat = 'G',
  kBinint = 'J',
  kBinint1 = 'K',
  kBinint2 = 'M',
  kNone = 'N',
  kBinstring = 'T',
  kShortBinstring = 'U',
  kBinunicode = 'X',
  kBinbytes = 'B',
  kShortBinbytes = 'C',
  kAppend = 'a',
  kDict = 'd',
  kEmptyDict = '}',
  kAppends = 'e',
  kBinget = 'h',
  kLongBinget = 'j',
  kList = 'l',
  kEmptyList = ']',
  kBinput = 'q',
  kLongBinput = 'r',
  kSetitem = 's',
  kTuple = 't',
  kEmptyTuple = ')',
  kSetitems = 'u',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewtrue = 0x88,
  kNewfalse = 0x89,
  kLong1 = 0x8A,
  kLong4 = 0x8B,
  kShortBinunicode = 0x8C,
  kBinunicode8 = 0x8D,
  kBinbytes8 = 0x8E,
  kEmptySet = 0x8F,
  kAdditems = 0x90,
  kFrozenset = 0x91,
  kMemoize = 0x94,
  kFrame = 0x95,
  kBytearray8 = 0x96,
};

// The reason why an opcode outside the list above is refused.
enum class Refusal : std::uint8_t {
  runs_code,  // imports or calls something, or requests an object from the program
  old,        // a text opcode of protocol 0 or 1
  unknown,    // not an opcode
};
struct RefusedOpcode {
  std::string_view name;  // empty when unknown
  Refusal why = Refusal::unknown;
};
RefusedOpcode refused_opcode(std::uint8_t opcode);

}  // namespace ts::snapshot::pickle
