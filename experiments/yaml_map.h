// Reading a map with a fixed set of keys, and typed values in it. Every fault is an Error(kUsage)
// with a caret at its place.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/yaml_source.h"

namespace assay {

class YamlMap {
 public:
  // `what` names the map in messages: "a definition". Refuses anything but a map, keys that stand
  // twice, and keys that are not among `keys` (with the nearest one). The value must outlive this.
  YamlMap(const YamlSource& source, const YamlValue& value, std::string_view what,
          std::span<const std::string_view> keys);

  // Null when the key is absent or has no value (`key:`, `key: null`).
  const YamlValue* find(std::string_view key) const;
  // The value of a required key.
  const YamlValue& need(std::string_view key) const;
  // The place of a key's name; the map's own when it is absent.
  const YamlValue& key(std::string_view key) const;

 private:
  const YamlSource& source_;
  const YamlValue& value_;
  std::string what_;
};

// Refuses a map in which a key stands twice. For maps whose keys are names of the user's.
void refuse_duplicates(const YamlSource& source, const YamlValue& map);
void require_kind(const YamlSource& source, const YamlValue& value, YamlValue::Kind kind,
                  std::string_view name);

// Text that is not blank; one line of at most `longest` characters where `one_line`.
std::string read_text(const YamlSource& source, const YamlValue& value, std::string_view name);
std::string read_line(const YamlSource& source, const YamlValue& value, std::string_view name,
                      std::size_t longest);
// One of a few words.
std::string read_choice(const YamlSource& source, const YamlValue& value, std::string_view name,
                        std::span<const std::string_view> choices);
// A whole number in [low, high], without quotes.
int read_whole(const YamlSource& source, const YamlValue& value, std::string_view name, int low,
               int high);
// "15%" or 0.15 as 0.15; 0 to 100 %.
double read_fraction(const YamlSource& source, const YamlValue& value, std::string_view name);

// Whole numbers from `low` to `high`, both included. "1..1920", "1921.." (no end: INT_MAX),
// "..1920" (from 1).
struct WholeRange {
  int low = 1;
  int high = 0;
};
WholeRange read_range(const YamlSource& source, const YamlValue& value, std::string_view name);

}  // namespace assay
