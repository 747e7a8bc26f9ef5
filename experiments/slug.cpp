#include "experiments/slug.h"

#include <fmt/format.h>

#include "experiments/caret.h"
#include "experiments/yaml_map.h"

namespace assay {

std::string read_slug(const YamlSource& source, const YamlValue& value, std::string_view name) {
  require_kind(source, value, YamlValue::Kind::kText, name);
  const std::string& slug = value.text;
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  if (slug.size() < 3 || slug.size() > 60 ||
      slug.find_first_not_of(kAllowed) != std::string::npos) {
    source.fail(value,
                fmt::format("`{}` is {}; a slug is 3 to 60 of a-z, 0-9 and -", name, shown(slug)));
  }
  if (slug.front() == '-' || slug.find_first_not_of("0123456789-") == std::string::npos) {
    source.fail(value, fmt::format("`{}` is {}; a slug has a letter, and does not start with -",
                                   name, shown(slug)));
  }
  return slug;
}

}  // namespace assay
