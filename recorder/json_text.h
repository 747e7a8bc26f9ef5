// JSON that another machine wrote, or somebody edited: read with its faults told by their line.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace assay {

// Error(kCheckFound) "LINE: what is wrong" for text that is not JSON, that is nested more deeply or
// has more values than anything that this program writes, and for a key that stands twice in one
// object.
nlohmann::json parse_json_text(const std::string& text);

// Error(kCheckFound) "LINE: ..." for a field of `object` that is not one of `known`: what it says
// would be lost, since only known ones are stored. What is no object is left to its reader.
void refuse_unknown_fields(const nlohmann::json& object,
                           std::initializer_list<std::string_view> known, const std::string& text);

// The line on which `needle` first stands; 1 when it is nowhere.
int line_of(const std::string& text, const std::string& needle);

}  // namespace assay
