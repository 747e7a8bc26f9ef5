// Compact JSON laid out for people, without parsing it.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Whether this is one object or array, with its brackets and quotes in pairs: what laid_out() can
// take. Not whether it is JSON in all.
bool is_laid_out(std::string_view compact);

// As nlohmann's dump(2) prints what it parses from `compact`, given that keys are sorted and
// numbers in their shortest form there already.
std::string laid_out(std::string_view compact);

}  // namespace assay
