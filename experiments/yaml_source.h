// A YAML file that a person wrote, read strictly, with the place of every value.
//
// Problem: a definition is a contract, so a misspelt key or a number in quotes must be an error at
// its place, not a default. yaml-cpp alone is too lenient for that: it keeps duplicate keys,
// expands aliases (a few lines can stand for gigabytes), accepts a quote that is never closed,
// stops after the first document, and gives an empty value the position of whatever comes next.
//
// Method: the text is checked first (size, UTF-8, tabs in the indentation); then yaml-cpp's
// *events* build a small tree of our own, and everything that our files do not need is refused on
// the way: anchors, aliases, tags, second documents, deep nesting, keys that are not text.
// Rejected: YAML::Node (no place for the quirks above), and a parser of our own (YAML is large).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

struct YamlValue {
  enum class Kind { kNull, kText, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text;              // kText
  bool quoted = false;           // kText: in quotes, or a block scalar
  int line = 0;                  // from 0; a null value of a key has its key's place
  int column = 0;                // bytes, from 0
  std::vector<YamlValue> items;  // kList
  std::vector<std::pair<YamlValue, YamlValue>> entries;  // kMap, in the file's order
};
// "text", "a list", "a map", "nothing": for messages.
std::string_view kind_name(YamlValue::Kind kind);

class YamlSource {
 public:
  // Error(kUsage) with a caret (caret.h) when the text is not one YAML document of the plain kind.
  YamlSource(std::string text, std::string file_name);

  const YamlValue& root() const { return root_; }
  const std::string& text() const { return text_; }
  // Error(kUsage) at a value.
  [[noreturn]] void fail(const YamlValue& at, std::string_view message) const;

 private:
  void check_text() const;
  void refuse_open_quote() const;
  // Error(kUsage) at a byte of the text.
  [[noreturn]] void refuse_byte(std::size_t offset, std::string_view message) const;

  std::string text_;
  std::string file_name_;
  YamlValue root_;
};

// The bytes of a file of at most 1 MB. Error(kUsage) when it cannot be read; a larger one is read
// far enough for YamlSource to refuse it.
std::string read_yaml_text(const std::string& path);

}  // namespace assay
