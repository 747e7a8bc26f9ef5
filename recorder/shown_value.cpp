#include "recorder/shown_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

using Json = nlohmann::json;

void add_leaves(const Json& value, const std::string& name,
                std::vector<std::pair<std::string, std::string>>& out) {
  const bool nested = value.is_object() && !value.empty();
  const bool objects =
      value.is_array() && std::any_of(value.begin(), value.end(), [](const Json& element) {
        return element.is_structured() && !element.empty();
      });
  if (nested) {
    for (const auto& [key, inner] : value.items()) {
      add_leaves(inner, name.empty() ? key : name + "." + key, out);
    }
  } else if (objects) {
    int index = 0;
    for (const Json& inner : value) add_leaves(inner, fmt::format("{}[{}]", name, index++), out);
  } else {
    out.emplace_back(name, shown(value));
  }
}

}  // namespace

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return kNotMeasured;
  const std::string text = fmt::format("{:+.2f} %", 100 * fraction);
  return text == "-0.00 %" ? "+0.00 %" : text;
}

std::string percent(const Json& fraction) {
  return fraction.is_number() ? percent(fraction.get<double>()) : kNotMeasured;
}

const Json& value_at(const Json& object, const std::string& key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::optional<double> number_at(const Json& object, const std::string& key) {
  const Json& value = value_at(object, key);
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::string shown(const Json& value) {
  if (value.is_null()) return "none";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out = "[";
  std::size_t count = 0;
  for (const Json& element : value) {
    if (count == 32) {
      out += fmt::format(", and {} more", value.size() - count);
      break;
    }
    out += (count++ > 0 ? ", " : "") + shown(element);
  }
  return out + "]";
}

std::vector<std::pair<std::string, std::string>> leaves(const Json& object) {
  std::vector<std::pair<std::string, std::string>> out;
  if (object.is_structured() && !object.empty()) add_leaves(object, "", out);
  return out;
}

std::string one_line(const Json& object) {
  std::string out;
  for (const auto& [key, value] : leaves(object)) {
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", key, value);
  }
  return out;
}

}  // namespace assay
