#pragma once

#include <string>

#include "core/advice/tree.h"
#include "core/text/text.h"

// The evidence of a decision tree in words, in the current language.
namespace ts::views {

// "headroom 14.92 GiB"; what a check found; why a number is known.
std::string found_text(const text::Texts& texts, const advice::Reading& reading);
// "measured, cpu".
std::string nature_text(const text::Texts& texts, const advice::Reading& reading);
// "yes: ≥ 85 %", of the branch that was taken; empty where the evidence itself is the answer.
std::string answer_text(const text::Texts& texts, const advice::Node& node,
                        const advice::Visit& visit);

}  // namespace ts::views
