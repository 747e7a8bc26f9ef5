#include "experiments/variant_reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "experiments/caret.h"
#include "experiments/nearest_name.h"
#include "experiments/yaml_map.h"

namespace assay {
std::string read_device_key(const YamlSource& source, const YamlValue& value,
                            std::string_view name) {
  require_kind(source, value, YamlValue::Kind::kText, name);
  if (!parse_device_key(value.text)) {
    source.fail(value, fmt::format("there is no device {}; the keys are {}", shown(value.text),
                                   fmt::join(known_device_keys(), ", ")));
  }
  return value.text;
}

const OpVariants& read_op(const YamlSource& source, const YamlValue& key) {
  if (const OpVariants* op = find_op(key.text)) return *op;
  std::vector<std::string_view> names;
  for (const OpVariants& op : all_ops()) names.push_back(op.op.op);
  source.fail(key, fmt::format("there is no op {}{}", shown(key.text),
                               suggestion(key.text, names, "`assay levers` lists them")));
}

const VariantInfo& read_variant(const YamlSource& source, const YamlValue& value,
                                std::string_view op, std::string_view device_key) {
  require_kind(source, value, YamlValue::Kind::kText, fmt::format("the variant of {}", op));
  const std::optional<VariantName> name = parse_variant_id(value.text);
  if (!name) {
    source.fail(value, fmt::format("{} is no variant id; one looks like {}", shown(value.text),
                                   shown(find_op(op)->variants.front().id)));
  }
  if (name->op != op) {
    source.fail(value, fmt::format("{} is a variant of {}, but stands under `{}`",
                                   shown(value.text), shown(name->op), op));
  }
  const VariantInfo* info = find_variant(value.text);
  if (info == nullptr) {
    std::vector<std::string_view> ids;
    for (const VariantInfo& known : find_op(op)->variants) ids.push_back(known.id);
    source.fail(value, fmt::format("there is no variant {}{}", shown(value.text),
                                   suggestion(value.text, ids, "`assay levers` lists them")));
  }
  const std::optional<DeviceLevel> level = parse_device_key(device_key);
  if (level && !offers(*level, info->needs)) {
    source.fail(value, fmt::format("`{}` needs {}, which {} does not have", info->id,
                                   need_name(info->needs), device_key));
  }
  return *info;
}

}  // namespace assay
