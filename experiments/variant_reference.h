// Ops, variants and device keys as YAML files name them, checked against the kernels' lists.
#pragma once

#include <string>
#include <string_view>

#include "experiments/yaml_source.h"
#include "kernels/variant.h"

namespace assay {

// A key of the map `devices`, or a scope's device: "cpu-avx2".
std::string read_device_key(const YamlSource& source, const YamlValue& value,
                            std::string_view name);
// An op's name (a map's key).
const OpVariants& read_op(const YamlSource& source, const YamlValue& key);
// A known variant of `op`. With a device key: one that this device can run.
const VariantInfo& read_variant(const YamlSource& source, const YamlValue& value,
                                std::string_view op, std::string_view device_key);

}  // namespace assay
