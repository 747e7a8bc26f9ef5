// ASCII letters in lower case; every other byte as it is.
#pragma once

#include <cctype>
#include <string>

namespace assay {

inline std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace assay
