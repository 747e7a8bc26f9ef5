// An experiment's name: file names, flags and references use it, so its form is narrow.
#pragma once

#include <string>
#include <string_view>

#include "experiments/yaml_source.h"

namespace assay {

// 3 to 60 of a-z, 0-9 and -; with a letter (commands take a slug or a number) and no dash in front
// (it would look like a flag). Error(kUsage) with a caret.
std::string read_slug(const YamlSource& source, const YamlValue& value, std::string_view name);

}  // namespace assay
