// Method: the definition keeps its text, so the place is looked up in the text again. Rejected: a
// line and a column beside every field of Definition, which few would ever read.
#include "experiments/definition_place.h"

#include <charconv>

#include "experiments/yaml_source.h"

namespace assay {
namespace {

// The value of one step of a path; null when it is not there.
const YamlValue* child(const YamlValue& value, const std::string& step) {
  for (const auto& [key, held] : value.entries) {
    if (key.text == step) return held.kind == YamlValue::Kind::kNull ? &key : &held;
  }
  std::size_t index = value.items.size();
  std::from_chars(step.data(), step.data() + step.size(), index);
  return index < value.items.size() ? &value.items[index] : nullptr;
}

}  // namespace

void refuse_at(const Definition& definition, const DefinitionPath& path,
               const std::string& message) {
  const YamlSource source(definition.text, definition.file_name);
  const YamlValue* at = &source.root();
  for (const std::string& step : path) {
    const YamlValue* next = child(*at, step);
    if (next == nullptr) break;
    at = next;
  }
  source.fail(*at, message);
}

}  // namespace assay
