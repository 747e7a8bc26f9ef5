// Compact JSON laid out for people, without parsing it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace assay {

// Whether this is one object or array, with its brackets and quotes in pairs: what JsonLayout can
// take. Not whether it is JSON in all.
bool is_laid_out(std::string_view compact);

// As nlohmann's dump(2) prints what it parses from all the pieces, given that keys are sorted and
// numbers in their shortest form there already. No piece ends within a string.
class JsonLayout {
 public:
  void add(std::string_view piece);
  std::string take() { return std::move(out_); }

 private:
  void new_line();

  std::string out_;
  std::size_t depth_ = 0;
  bool fresh_ = false;  // a bracket was opened, and nothing stands in it yet
};

}  // namespace assay
