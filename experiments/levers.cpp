// Problem: what can be tried must be known to the parser, to `assay levers` and to people, and a
// list kept by hand would drift from the kernels.
//
// Method: an id already says everything. Its op, backend, mechanism and parameters are compared
// with those of its siblings, and whatever differs is a lever. Rejected: a second registry of
// levers with descriptions; declaring levers in the kernels' own lists (the same fact twice).
#include "experiments/levers.h"

#include <map>
#include <set>

namespace assay {
namespace {

struct NamedVariant {
  std::string id;
  VariantName name;
};

std::vector<NamedVariant> named_variants(const OpVariants& op) {
  std::vector<NamedVariant> named;
  for (const VariantInfo& info : op.variants) {
    if (std::optional<VariantName> name = parse_variant_id(info.id)) {
      named.push_back({std::string(info.id), *name});
    }
  }
  return named;
}

Lever mechanism_lever(const std::string& op, const std::vector<NamedVariant>& variants) {
  std::map<std::string, std::set<std::string>> mechanisms;  // of each backend
  for (const NamedVariant& v : variants) mechanisms[v.name.backend].insert(v.name.mechanism);
  Lever lever{op + ".mechanism", op, {}};
  for (const NamedVariant& v : variants) {
    if (mechanisms[v.name.backend].size() > 1) lever.variants.push_back(v.id);
  }
  return lever;
}

const std::string* value_of(const NamedVariant& variant, const std::string& param) {
  for (const auto& [key, value] : variant.name.params) {
    if (key == param) return &value;
  }
  return nullptr;
}

Lever parameter_lever(const std::string& op, const std::string& param,
                      const std::vector<NamedVariant>& variants) {
  std::map<std::string, std::set<std::string>> values;  // in each "backend.mechanism"
  const auto form = [](const NamedVariant& v) { return v.name.backend + "." + v.name.mechanism; };
  for (const NamedVariant& v : variants) {
    if (const std::string* value = value_of(v, param)) values[form(v)].insert(*value);
  }
  Lever lever{op + "." + param, op, {}};
  for (const NamedVariant& v : variants) {
    if (value_of(v, param) != nullptr && values[form(v)].size() > 1) lever.variants.push_back(v.id);
  }
  return lever;
}

std::vector<std::string> parameters(const std::vector<NamedVariant>& variants) {
  std::vector<std::string> order;
  std::set<std::string> seen;
  for (const NamedVariant& v : variants) {
    for (const auto& [key, unused] : v.name.params) {
      if (seen.insert(key).second) order.push_back(key);
    }
  }
  return order;
}

const std::vector<Lever>& registered_levers() {
  static const std::vector<Lever> all = derive_levers(all_ops());
  return all;
}

}  // namespace

std::vector<Lever> derive_levers(std::span<const OpVariants> ops) {
  std::vector<Lever> all;
  const auto keep = [&](Lever lever) {
    if (!lever.variants.empty()) all.push_back(std::move(lever));
  };
  for (const OpVariants& op : ops) {
    const std::vector<NamedVariant> variants = named_variants(op);
    const std::string name(op.op.op);
    keep(mechanism_lever(name, variants));
    for (const std::string& param : parameters(variants)) {
      keep(parameter_lever(name, param, variants));
    }
  }
  return all;
}

std::vector<Lever> levers() {
  return registered_levers();
}

const Lever* find_lever(const std::string& name) {
  for (const Lever& lever : registered_levers()) {
    if (lever.name == name) return &lever;
  }
  return nullptr;
}

}  // namespace assay
