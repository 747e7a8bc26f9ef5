#include "engine/protocol/request_fields.h"

#include <fmt/format.h>
#include <cstdint>
#include <limits>

#include "kernels/selection.h"

namespace assay {
namespace {

using Json = nlohmann::json;

std::string shortened(std::string text) {
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

std::string text_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

[[noreturn]] void refuse(const std::string& field, const std::string& expected, const Json& found) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: expected {}, found {}", field, expected, shortened(text_of(found))));
}

void check_int(const std::string& field, const Json& value) {
  constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int32_t>::max();
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kHigh)
                        : value.is_number_integer() && value.get<std::int64_t>() >= kLow &&
                              value.get<std::int64_t>() <= kHigh;
  if (!fits) refuse(field, "an integer of 32 bits", value);
}

void check_number(const std::string& field, const Json& value) {
  if (!value.is_number()) refuse(field, "a number", value);
}

void check_like(const std::string& field, const Json& value, const Json& schema);

void check_object(const std::string& field, const Json& value, const Json& schema) {
  for (const auto& [key, member] : value.items()) {
    const auto known = schema.find(key);
    if (known == schema.end()) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: no field is called '{}'", field, shown(key)));
    }
    check_like(field + "." + key, member, *known);
  }
}

// op -> rows: the one field whose keys are data.
void check_service(const std::string& field, const Json& value) {
  if (!value.is_object()) refuse(field, "an object of ops", value);
  const Json schema = Json{{"key", ""}, {"low", 1}, {"high", 1}, {"variant", ""}};
  for (const auto& [op, rows] : value.items()) {
    const std::string of_op = field + "." + shown(op);
    if (!rows.is_array()) refuse(of_op, "an array of rows", rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string of_row = fmt::format("{}[{}]", of_op, i);
      if (!rows[i].is_object()) refuse(of_row, "an object", rows[i]);
      check_object(of_row, rows[i], schema);
      if (!rows[i].contains("variant")) refuse(of_row, "a field 'variant'", rows[i]);
    }
  }
}

void check_like(const std::string& field, const Json& value, const Json& schema) {
  if (schema.is_boolean()) {
    if (!value.is_boolean()) refuse(field, "true or false", value);
  } else if (schema.is_string()) {
    if (!value.is_string()) refuse(field, "a string", value);
  } else if (schema.is_array()) {
    if (!value.is_array()) refuse(field, "an array of integers", value);
    for (std::size_t i = 0; i < value.size(); ++i) {
      check_int(fmt::format("{}[{}]", field, i), value[i]);
    }
  } else if (schema.is_number_float()) {
    check_number(field, value);
  } else if (schema.is_object()) {
    check_service(field, value);
  } else {
    check_int(field, value);
  }
}

}  // namespace

std::string shown(const std::string& name) {
  const std::string text = text_of(name);
  return shortened(text.substr(1, text.size() - 2));  // without the quotes
}

Json parse_request(std::string_view line) {
  const auto check_depth = [](int depth, Json::parse_event_t, Json&) {
    if (depth <= kDeepestRequest) return true;
    throw Error(
        ErrorKind::kUsage,
        fmt::format("request: nested deeper than {}; no request has such values", kDeepestRequest));
  };
  try {
    Json request = Json::parse(line, check_depth);
    if (request.is_object()) return request;
  } catch (const Json::parse_error& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("request: not JSON at byte {}; a request is one object on one line",
                            error.byte));
  } catch (const Json::out_of_range&) {
    throw Error(ErrorKind::kUsage, "request: a number in it is too large");
  }
  throw Error(ErrorKind::kUsage, "request: not a JSON object");
}

void check_fields(const std::string& name, const Json& request, const Json& defaults) {
  Json schema = defaults.is_object() ? defaults : Json::object();
  schema["request"] = "";
  check_object(name, request, schema);
}

}  // namespace assay
