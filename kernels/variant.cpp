#include "kernels/variant.h"

#include <algorithm>
#include <cctype>

namespace assay {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

}  // namespace

const OpVariants* find_op(std::string_view op) {
  for (const OpVariants& candidate : all_ops()) {
    if (candidate.op.op == op) return &candidate;
  }
  return nullptr;
}

const VariantInfo* find_variant(std::string_view id) {
  const OpVariants* op = find_op(id.substr(0, id.find('.')));
  if (op == nullptr) return nullptr;
  for (const VariantInfo& info : op->variants) {
    if (info.id == id) return &info;
  }
  return nullptr;
}

std::optional<VariantName> parse_variant_id(std::string_view id) {
  VariantName name;
  const std::size_t first = id.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = id.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  name.op = id.substr(0, first);
  name.backend = id.substr(first + 1, second - first - 1);
  std::string_view rest = id.substr(second + 1);
  const std::size_t bracket = rest.find('[');
  name.mechanism = rest.substr(0, bracket);
  if (!is_word(name.op) || !is_word(name.backend) || !is_word(name.mechanism)) return std::nullopt;
  if (bracket == std::string_view::npos) return name;
  if (rest.back() != ']') return std::nullopt;
  rest = rest.substr(bracket + 1, rest.size() - bracket - 2);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view pair = rest.substr(0, comma);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = pair.substr(0, equals);
    const std::string_view value = pair.substr(equals + 1);
    if (!is_word(key) || !is_word(value)) return std::nullopt;
    name.params.emplace_back(key, value);
    if (comma == std::string_view::npos) return name;
    rest = rest.substr(comma + 1);
  }
}

std::string to_string(const VariantName& name) {
  std::string text = name.op + "." + name.backend + "." + name.mechanism;
  for (std::size_t i = 0; i < name.params.size(); ++i) {
    text += (i == 0 ? "[" : ",") + name.params[i].first + "=" + name.params[i].second;
  }
  if (!name.params.empty()) text += "]";
  return text;
}

std::string launch_symbol(const VariantName& name) {
  std::string text = name.op + "_" + name.backend + "_" + name.mechanism;
  for (const auto& [key, value] : name.params) text += "_" + key + value;
  return text;
}

}  // namespace assay
