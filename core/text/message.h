#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/base/message.h"
#include "core/base/result.h"

// Messages and errors by the key of their text. The English texts are in assets/locale/en.json
// only; that file is embedded in the program. Callable from any thread.
namespace ts::text {

// The message with this key; its sentence is the English text with the placeholders filled. A key
// that does not exist is a broken invariant.
base::Message message(std::string key, std::vector<base::Argument> arguments = {});

// An argument that is a message itself: it is translated together with the outer message.
base::Argument argument(std::string name, base::Message said);

// The error with this message.
tl::unexpected<base::Error> fail(std::string key, std::vector<base::Argument> arguments = {});

// {key, arguments: [{name, value, key, arguments}]}, stored beside the sentence; null without a
// key. With it a file can be shown in the language of its reader. A key that this version does not
// know is left out.
nlohmann::json text_json(const base::Message& message);
base::Message message_from_json(std::string sentence, const nlohmann::json& text);

}  // namespace ts::text
