// A kernel's code in PTX, as a text to be hashed.
//
// PTX counts because a machine for which the fat binary has no cubin compiles it. A module is a
// list of functions and variables; a kernel's text is its own definition and those that it names,
// in the order in which they are met. Comments, .file and .loc lines, debug sections and blank
// space are left out; names become ordinals, and the numbers in labels that count the functions of
// the file go.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

class PtxModule {
 public:
  explicit PtxModule(std::string_view text);

  // `kernel`: its mangled name. Nothing when the module does not define it.
  std::optional<std::string> code(const std::string& kernel) const;

 private:
  using Tokens = std::vector<std::string>;
  void add_item(Tokens item);

  std::map<std::string, Tokens> items_;  // functions and variables by name
};

}  // namespace assay
