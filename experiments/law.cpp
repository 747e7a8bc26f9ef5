#include "experiments/law.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>

#include "experiments/caret.h"
#include "experiments/slug.h"
#include "experiments/yaml_map.h"

namespace assay {
namespace {

using Kind = YamlValue::Kind;

constexpr std::array<std::string_view, 2> kFileKeys{"version", "laws"};
constexpr std::array<std::string_view, 7> kLawKeys{"slug",     "statement", "when",      "then",
                                                   "evidence", "scope",     "refuted_by"};
constexpr std::array<std::string_view, 3> kThenKeys{"not_class", "reason", "verdict"};
constexpr std::array<std::string_view, 2> kScopeKeys{"devices", "compilers"};
constexpr std::array<std::string_view, 3> kClasses{"bitwise", "reorder", "operand"};
constexpr std::array<std::string_view, 1> kVerdicts{"LAND"};
constexpr std::array<std::string_view, 12> kReasons{"identity",  "parity",  "margin", "not-live",
                                                    "resources", "race",    "crash",  "hang",
                                                    "slower",    "no-gain", "guard",  "unproven"};
constexpr std::size_t kStatementBytes = 300;

void read_then(const YamlSource& source, const YamlValue& value, Law& law) {
  const YamlMap map(source, value, "`then`", kThenKeys);
  int claims = 0;
  for (const std::string_view key : kThenKeys) claims += map.find(key) != nullptr;
  if (claims != 1) {
    source.fail(value, "`then` claims one thing: not_class, reason, or verdict: LAND");
  }
  if (const auto* word = map.find("not_class")) {
    law.not_class = read_choice(source, *word, "then.not_class", kClasses);
  }
  if (const auto* words = map.find("reason")) {
    law.reasons = read_words(source, *words, "then.reason");
    const auto check = [&](const YamlValue& one) {
      read_choice(source, one, "then.reason", kReasons);
    };
    if (words->kind == Kind::kList) {
      for (const YamlValue& one : words->items) check(one);
    } else {
      check(*words);
    }
  }
  if (const auto* word = map.find("verdict")) {
    read_choice(source, *word, "then.verdict", kVerdicts);
    law.lands = true;
  }
}

void read_scope(const YamlSource& source, const YamlValue& value, Law& law) {
  const YamlMap map(source, value, "`scope`", kScopeKeys);
  if (const auto* words = map.find("devices")) {
    law.devices = read_words(source, *words, "scope.devices");
  }
  if (const auto* words = map.find("compilers")) {
    law.compilers = read_words(source, *words, "scope.compilers");
  }
}

Law read_law(const YamlSource& source, const YamlValue& value) {
  const YamlMap map(source, value, "a law", kLawKeys);
  Law law;
  const YamlValue& slug = map.need("slug");
  law.slug = read_slug(source, slug, "slug");
  law.line = slug.line + 1;
  law.statement = read_line(source, map.need("statement"), "statement", kStatementBytes);
  law.when = read_predicate(source, map.need("when"), "when");
  read_then(source, map.need("then"), law);
  const YamlValue& evidence = map.need("evidence");
  require_kind(source, evidence, Kind::kList, "evidence");
  for (const YamlValue& one : evidence.items) {
    law.evidence.push_back(read_slug(source, one, "evidence"));
  }
  if (law.evidence.empty()) {
    source.fail(evidence, "`evidence` is empty: name the records that the law was learnt from");
  }
  if (const auto* scope = map.find("scope")) read_scope(source, *scope, law);
  law.refuted_by = read_text(source, map.need("refuted_by"), "refuted_by");
  return law;
}

bool names_part_of(const std::vector<std::string>& parts, const std::string& name) {
  return parts.empty() || name.empty() ||
         std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

}  // namespace

std::string Law::claim() const {
  if (!not_class.empty()) return "not class " + not_class;
  if (lands) return "LAND";
  return fmt::format("REVERT {}", fmt::join(reasons, " or "));
}

bool Law::against(const LawSubject& subject) const {
  if (lands || !when.matches(subject)) return false;
  return not_class.empty() || not_class == to_string(subject.lever_class);
}

bool Law::within(const std::string& device, const std::string& compiler) const {
  return names_part_of(devices, device) && names_part_of(compilers, compiler);
}

std::vector<Law> parse_laws(const std::string& text, const std::string& file_name) {
  const YamlSource source(text, file_name);
  const YamlMap root(source, source.root(), "a file of laws", kFileKeys);
  read_whole(source, root.need("version"), "version", 1, 1);
  const YamlValue& list = root.need("laws");
  require_kind(source, list, Kind::kList, "laws");
  std::vector<Law> laws;
  std::map<std::string, int> lines;
  for (const YamlValue& item : list.items) {
    Law law = read_law(source, item);
    const auto [first, fresh] = lines.emplace(law.slug, law.line);
    if (!fresh) {
      source.fail(
          YamlMap(source, item, "a law", kLawKeys).need("slug"),
          fmt::format("{} stands twice; the first is on line {}", shown(law.slug), first->second));
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

std::vector<Law> read_laws(const std::string& workspace) {
  const std::string path = workspace + "/" + kLawsPath;
  if (!std::filesystem::exists(path)) return {};
  return parse_laws(read_yaml_text(path), path);
}

}  // namespace assay
