// Problem: a definition decides what is measured and what a verdict means, and it is frozen before
// anything runs. A key that is silently ignored, or a 15 where 15% was meant, would be found after
// the result.
//
// Method: every key has one reader, in the order in which people write them; the first fault ends
// the parse with its place. Checks that need only the text and the list of variants are made here;
// those that need history (does `supersedes` exist?) or a worker are preflight's. Rejected:
// collecting all faults (most later ones follow from the first), and defaults for anything that a
// verdict rests on.
#include "experiments/definition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/core/error.h"
#include "experiments/caret.h"
#include "experiments/levers.h"
#include "experiments/nearest_name.h"
#include "experiments/slug.h"
#include "experiments/variant_reference.h"
#include "experiments/yaml_map.h"
#include "experiments/yaml_source.h"

namespace assay {
namespace {

using Kind = YamlValue::Kind;

constexpr std::array<std::string_view, 22> kKeys{
    "slug",    "title",        "lever",      "class",        "hypothesis", "mechanism",
    "service", "scope",        "candidate",  "workloads",    "guards",     "expect",
    "bar",     "derived_from", "supersedes", "guard_margin", "retry_when", "override",
    "answers", "background",   "principle",  "campaign"};
constexpr std::array<std::string_view, 3> kClasses{"bitwise", "reorder", "operand"};
constexpr std::array<std::string_view, 4> kMechanisms{"wait", "work", "bytes", "launch"};
constexpr std::array<std::string_view, 2> kPhases{"prefill", "decode"};
constexpr std::array<std::string_view, 2> kWhenKeys{"nkv", "t"};
constexpr std::array<std::string_view, 6> kWorkloadKeys{"model", "phase", "tokens",
                                                        "depth", "steps", "threads"};
constexpr std::array<std::string_view, 2> kScopeKeys{"device", "when"};
constexpr std::array<std::string_view, 2> kExpectKeys{"kernel", "wall"};

constexpr int kMaxPositions = 1 << 20;  // no cache of ours is longer
constexpr int kMaxSteps = 4096;
constexpr int kMaxThreads = 1024;
constexpr std::size_t kTitleBytes = 120;
constexpr std::size_t kNameBytes = 255;

std::string read_lever(const YamlSource& source, const YamlValue& value) {
  const std::string name = read_line(source, value, "lever", kNameBytes);
  if (find_lever(name) != nullptr) return name;
  const std::vector<Lever> known = levers();
  std::vector<std::string_view> names;
  for (const Lever& lever : known) names.push_back(lever.name);
  source.fail(value, fmt::format("there is no lever {}{}", shown(name),
                                 suggestion(name, names, "`assay levers` lists them")));
}

LeverClass read_class(const YamlSource& source, const YamlValue& value) {
  const std::string word = read_choice(source, value, "class", kClasses);
  if (word == "reorder") return LeverClass::kReorder;
  return word == "operand" ? LeverClass::kOperand : LeverClass::kBitwise;
}

std::string read_service(const YamlSource& source, const YamlValue& value) {
  const std::string name = read_line(source, value, "service", kNameBytes);
  constexpr std::string_view kEnding = ".yaml";
  if (!name.ends_with(kEnding) || name.size() == kEnding.size() || name.front() == '.' ||
      name.find('/') != std::string::npos) {
    source.fail(value, fmt::format("`service` is {}; it names a map in experiments/, such as "
                                   "in_service.yaml",
                                   shown(name)));
  }
  return name;
}

Scope read_scope(const YamlSource& source, const YamlValue& value) {
  const YamlMap map(source, value, "`scope`", kScopeKeys);
  Scope scope;
  if (const YamlValue* device = map.find("device")) {
    scope.device = read_device_key(source, *device, "scope.device");
  }
  const YamlValue* when = map.find("when");
  if (when == nullptr) return scope;
  const YamlMap when_map(source, *when, "`scope.when`", kWhenKeys);
  for (const std::string_view key : kWhenKeys) {
    const YamlValue* range = when_map.find(key);
    if (range == nullptr) continue;
    if (!scope.when_key.empty()) {
      source.fail(when_map.key(key), "`scope.when` names one range: nkv or t, not both");
    }
    const WholeRange whole = read_range(source, *range, "scope.when." + std::string(key));
    scope.when_key = key;
    scope.when_low = whole.low;
    scope.when_high = whole.high;
  }
  return scope;
}

// The candidate's variants: known, of the op that names them, able to run on the scope's device,
// and for the lever's op a point of the lever.
std::map<std::string, std::string> read_candidate(const YamlSource& source, const YamlMap& root,
                                                  const Definition& definition) {
  const YamlValue& value = root.need("candidate");
  require_kind(source, value, Kind::kMap, "candidate");
  refuse_duplicates(source, value);
  if (value.entries.empty()) source.fail(value, "`candidate` names no variant");
  const Lever* lever = find_lever(definition.lever);
  std::map<std::string, std::string> candidate;
  for (const auto& [op, variant] : value.entries) {
    read_op(source, op);
    const VariantInfo& info = read_variant(source, variant, op.text, definition.scope.device);
    const std::string id(info.id);
    const bool is_point = std::count(lever->variants.begin(), lever->variants.end(), id) > 0;
    if (op.text == lever->op && !is_point) {
      source.fail(variant, fmt::format("`{}` is no point of the lever {}; its points are {}", id,
                                       lever->name, fmt::join(lever->variants, ", ")));
    }
    candidate.emplace(op.text, id);
  }
  if (!candidate.contains(lever->op)) {
    source.fail(root.key("candidate"), fmt::format("`candidate` has no variant of `{}`, the op of "
                                                   "the lever {}",
                                                   lever->op, lever->name));
  }
  return candidate;
}

// A model is a file below the workspace (or an absolute path), `embedded`, or `synth:SHAPE-QUANT`.
Workload read_workload(const YamlSource& source, const YamlValue& value, std::string_view what) {
  const YamlMap map(source, value, what, kWorkloadKeys);
  Workload workload;
  workload.model = read_line(source, map.need("model"), "model", 4096);
  workload.phase = read_choice(source, map.need("phase"), "phase", kPhases);
  const bool prefill = workload.phase == "prefill";
  const auto refuse = [&](std::string_view key, std::string_view owner) {
    if (map.find(key) == nullptr) return;
    source.fail(map.key(key), fmt::format("`{}` belongs to a {} workload", key, owner));
  };
  if (prefill) {
    refuse("depth", "decode");
    refuse("steps", "decode");
    workload.tokens = read_whole(source, map.need("tokens"), "tokens", 1, kMaxPositions);
  } else {
    refuse("tokens", "prefill");
    workload.depth = read_whole(source, map.need("depth"), "depth", 1, kMaxPositions);
    if (const YamlValue* steps = map.find("steps")) {
      workload.steps = read_whole(source, *steps, "steps", 1, kMaxSteps);
    }
  }
  if (const YamlValue* threads = map.find("threads")) {
    workload.threads = read_whole(source, *threads, "threads", 0, kMaxThreads);
  }
  return workload;
}

std::vector<Workload> read_workloads(const YamlSource& source, const YamlValue& value,
                                     std::string_view name, std::string_view what) {
  require_kind(source, value, Kind::kList, name);
  std::vector<Workload> workloads;
  for (const YamlValue& item : value.items) {
    workloads.push_back(read_workload(source, item, what));
  }
  return workloads;
}

void read_expect(const YamlSource& source, const YamlValue& value, Definition& definition) {
  const YamlMap map(source, value, "`expect`", kExpectKeys);
  if (const YamlValue* kernel = map.find("kernel")) {
    definition.expect_kernel = read_fraction(source, *kernel, "expect.kernel");
  }
  if (const YamlValue* wall = map.find("wall")) {
    definition.expect_wall = read_fraction(source, *wall, "expect.wall");
  }
  if (!definition.expect_kernel && !definition.expect_wall) {
    source.fail(value, "`expect` predicts nothing: give kernel, wall or both");
  }
}

void read_question(const YamlSource& source, const YamlMap& root, Definition& definition) {
  definition.slug = read_slug(source, root.need("slug"), "slug");
  definition.title = read_line(source, root.need("title"), "title", kTitleBytes);
  definition.lever = read_lever(source, root.need("lever"));
  definition.lever_class = read_class(source, root.need("class"));
  definition.hypothesis = read_text(source, root.need("hypothesis"), "hypothesis");
  if (const YamlValue* mechanism = root.find("mechanism")) {
    definition.mechanism = read_choice(source, *mechanism, "mechanism", kMechanisms);
  }
}

void read_comparison(const YamlSource& source, const YamlMap& root, Definition& definition) {
  if (const YamlValue* service = root.find("service")) {
    definition.service = read_service(source, *service);
  }
  if (const YamlValue* scope = root.find("scope")) definition.scope = read_scope(source, *scope);
  definition.candidate = read_candidate(source, root, definition);
  const YamlValue& workloads = root.need("workloads");
  definition.workloads = read_workloads(source, workloads, "workloads", "a workload");
  if (definition.workloads.empty()) {
    source.fail(workloads, "`workloads` is empty: the first one is what the verdict speaks of");
  }
  if (const YamlValue* guards = root.find("guards")) {
    definition.guards = read_workloads(source, *guards, "guards", "a guard");
  }
  read_expect(source, root.need("expect"), definition);
  definition.bar = read_fraction(source, root.need("bar"), "bar");
  if (const YamlValue* margin = root.find("guard_margin")) {
    definition.guard_margin = read_fraction(source, *margin, "guard_margin");
  }
}

void read_references(const YamlSource& source, const YamlMap& root, Definition& definition) {
  if (const YamlValue* derived = root.find("derived_from")) {
    require_kind(source, *derived, Kind::kList, "derived_from");
    for (const YamlValue& item : derived->items) {
      definition.derived_from.push_back(read_slug(source, item, "derived_from"));
    }
  }
  if (const YamlValue* supersedes = root.find("supersedes")) {
    definition.supersedes = read_slug(source, *supersedes, "supersedes");
    if (definition.supersedes == definition.slug) {
      source.fail(*supersedes, "`supersedes` names this experiment itself");
    }
  }
  if (const YamlValue* campaign = root.find("campaign")) {
    definition.campaign = read_slug(source, *campaign, "campaign");
  }
  if (const YamlValue* answers = root.find("answers")) {
    require_kind(source, *answers, Kind::kMap, "answers");
    refuse_duplicates(source, *answers);
    for (const auto& [slug, why] : answers->entries) {
      const std::string name = read_slug(source, slug, "answers");
      definition.answers.emplace(name, read_text(source, why, "answers." + name));
    }
  }
}

void read_author_texts(const YamlSource& source, const YamlMap& root, Definition& definition) {
  const auto read = [&](std::string_view key, std::string& into) {
    if (const YamlValue* value = root.find(key)) into = read_text(source, *value, key);
  };
  read("retry_when", definition.retry_when);
  read("override", definition.override_reason);
  read("background", definition.background);
  read("principle", definition.principle);
}

}  // namespace

Definition parse_definition(const std::string& text, const std::string& file_name) {
  const YamlSource source(text, file_name);
  for (const auto& [key, unused] : source.root().entries) {
    if (key.text == "axes") {
      source.fail(key,
                  "`axes` is not supported yet: grids are measured and never land, so write one "
                  "definition per point");
    }
  }
  const YamlMap root(source, source.root(), "a definition", kKeys);
  Definition definition;
  definition.text = text;
  definition.file_name = file_name;
  read_question(source, root, definition);
  read_comparison(source, root, definition);
  read_references(source, root, definition);
  read_author_texts(source, root, definition);
  return definition;
}

Definition read_definition(const std::string& path) {
  return parse_definition(read_yaml_text(path), path);
}

std::string to_string(LeverClass lever_class) {
  return std::string(kClasses[static_cast<std::size_t>(lever_class)]);
}

}  // namespace assay
