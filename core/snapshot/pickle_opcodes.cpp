#include "core/snapshot/pickle_opcodes.h"

namespace ts::snapshot::pickle {
namespace {

struct Entry {
  std::uint8_t opcode;
  RefusedOpcode refused;
};

constexpr Entry kRefused[] = {
    {'c', {"GLOBAL", Refusal::runs_code}},
    {0x93, {"STACK_GLOBAL", Refusal::runs_code}},
    {'i', {"INST", Refusal::runs_code}},
    {'o', {"OBJ", Refusal::runs_code}},
    {0x81, {"NEWOBJ", Refusal::runs_code}},
    {0x92, {"NEWOBJ_EX", Refusal::runs_code}},
    {'R', {"REDUCE", Refusal::runs_code}},
    {'b', {"BUILD", Refusal::runs_code}},
    {0x82, {"EXT1", Refusal::runs_code}},
    {0x83, {"EXT2", Refusal::runs_code}},
    {0x84, {"EXT4", Refusal::runs_code}},
    {'P', {"PERSID", Refusal::runs_code}},
    {'Q', {"BINPERSID", Refusal::runs_code}},
    {0x97, {"NEXT_BUFFER", Refusal::runs_code}},
    {0x98, {"READONLY_BUFFER", Refusal::runs_code}},
    {'I', {"INT", Refusal::old}},
    {'L', {"LONG", Refusal::old}},
    {'S', {"STRING", Refusal::old}},
    {'V', {"UNICODE", Refusal::old}},
    {'F', {"FLOAT", Refusal::old}},
    {'g', {"GET", Refusal::old}},
    {'p', {"PUT", Refusal::old}},
};

}  // namespace

RefusedOpcode refused_opcode(std::uint8_t opcode) {
  for (const Entry& entry : kRefused) {
    if (entry.opcode == opcode) return entry.refused;
  }
  return {};
}

}  // namespace ts::snapshot::pickle
