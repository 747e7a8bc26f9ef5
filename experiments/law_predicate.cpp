#include "experiments/law_predicate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "experiments/caret.h"
#include "experiments/variant_reference.h"
#include "experiments/yaml_map.h"

namespace assay {
namespace {

using Kind = YamlValue::Kind;

constexpr std::array<std::string_view, 8> kKeys{
    "lever", "op", "changes", "class", "mechanism", "phase", "device", "expect_wall_below"};
constexpr std::array<std::string_view, 2> kChangeKeys{"from", "to"};
constexpr std::array<std::string_view, 3> kClasses{"bitwise", "reorder", "operand"};
constexpr std::array<std::string_view, 4> kMechanisms{"wait", "work", "bytes", "launch"};
constexpr std::array<std::string_view, 2> kPhases{"prefill", "decode"};
constexpr std::size_t kNameBytes = 120;

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "matmul_*" stands for every op that begins so.
bool names_op(std::string_view pattern, std::string_view op) {
  if (!pattern.ends_with('*')) return pattern == op;
  pattern.remove_suffix(1);
  return op.starts_with(pattern);
}

void check_op(const YamlSource& source, const YamlValue& value) {
  if (!value.text.ends_with('*')) {
    read_op(source, value);
    return;
  }
  for (const OpVariants& known : all_ops()) {
    if (names_op(value.text, known.op.op)) return;
  }
  source.fail(value,
              fmt::format("no op begins as {} does; `assay levers` lists them", shown(value.text)));
}

// A word or a list of words, each of which `check` may refuse.
template <typename Check>
std::vector<std::string> read_each(const YamlSource& source, const YamlValue& value,
                                   std::string_view name, const Check& check) {
  std::vector<std::string> words;
  const auto take = [&](const YamlValue& one) {
    words.push_back(read_line(source, one, name, kNameBytes));
    check(one);
  };
  if (value.kind != Kind::kList) {
    take(value);
    return words;
  }
  for (const YamlValue& one : value.items) take(one);
  if (words.empty()) source.fail(value, fmt::format("`{}` is an empty list", name));
  return words;
}

std::vector<std::string> read_choices(const YamlSource& source, const YamlValue& value,
                                      std::string_view name,
                                      std::span<const std::string_view> choices) {
  return read_each(source, value, name,
                   [&](const YamlValue& one) { read_choice(source, one, name, choices); });
}

std::string read_wanted(const YamlSource& source, const YamlValue& value, const std::string& name) {
  std::string text = read_line(source, value, name, kNameBytes);
  if (text.find("..") != std::string::npos) read_range(source, value, name);
  return text;
}

std::vector<LawPredicate::Wanted> read_changes(const YamlSource& source, const YamlValue& value,
                                               const std::string& name) {
  std::vector<LawPredicate::Wanted> changes;
  if (value.kind != Kind::kMap) {
    for (std::string& parameter : read_words(source, value, name)) {
      changes.push_back({std::move(parameter), "", ""});
    }
    return changes;
  }
  refuse_duplicates(source, value);
  for (const auto& [parameter, wanted] : value.entries) {
    LawPredicate::Wanted change{parameter.text, "", ""};
    if (wanted.kind != Kind::kNull) {
      const std::string place = name + "." + parameter.text;
      const YamlMap map(source, wanted, "`" + place + "`", kChangeKeys);
      if (const auto* from = map.find("from")) change.from = read_wanted(source, *from, place);
      if (const auto* to = map.find("to")) change.to = read_wanted(source, *to, place);
    }
    changes.push_back(std::move(change));
  }
  if (changes.empty()) source.fail(value, fmt::format("`{}` names no parameter", name));
  return changes;
}

// Whether `value` is the wanted word, or a whole number within the wanted range.
bool is_wanted(const std::string& wanted, const std::string& value) {
  if (wanted.empty()) return true;
  const std::size_t dots = wanted.find("..");
  if (dots == std::string::npos) return wanted == value;
  const auto number = [](std::string_view text, int otherwise) {
    int out = otherwise;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
    return fault == std::errc() && end == text.data() + text.size() ? out : otherwise;
  };
  const int whole = number(value, -1);
  const std::string_view text = wanted;
  return whole >= number(text.substr(0, dots), 1) &&
         whole <= number(text.substr(dots + 2), INT32_MAX) && whole >= 0;
}

bool changes_as(const LawPredicate::Wanted& wanted, const LawSubject::Change& change) {
  for (const ParameterChange& made : parameter_changes(change.incumbent, change.candidate)) {
    if (made.name == wanted.name && is_wanted(wanted.from, made.from) &&
        is_wanted(wanted.to, made.to)) {
      return true;
    }
  }
  return false;
}

// One op must fit, and change as wanted.
bool has_change(const LawPredicate& law, const LawSubject& subject) {
  for (const LawSubject::Change& change : subject.changes) {
    const bool of_op = law.ops.empty() ||
                       std::any_of(law.ops.begin(), law.ops.end(), [&](const std::string& pattern) {
                         return names_op(pattern, change.op);
                       });
    if (!of_op) continue;
    if (law.changes.empty()) return true;
    for (const LawPredicate::Wanted& wanted : law.changes) {
      if (changes_as(wanted, change)) return true;
    }
  }
  return false;
}

// "cuda" stands for cuda-sm90, too; a subject without a key is on this machine's processor.
bool on_device(const std::string& wanted, const std::string& device) {
  const std::string key = device.empty() ? "cpu" : device;
  return key == wanted || key.starts_with(wanted + "-");
}

std::string described(const LawPredicate::Wanted& change) {
  std::string text = change.name;
  if (!change.from.empty()) text += " from " + change.from;
  if (!change.to.empty()) text += " to " + change.to;
  return text;
}

}  // namespace

LawSubject law_subject(const Definition& definition) {
  LawSubject subject;
  subject.lever = definition.lever;
  subject.lever_class = definition.lever_class;
  subject.mechanism = definition.mechanism;
  if (!definition.workloads.empty()) subject.phase = definition.workloads.front().phase;
  subject.device = definition.scope.device;
  subject.expect_wall = definition.expect_wall;
  for (const auto& [op, variant] : definition.candidate) {
    subject.changes.push_back({op, "", variant});
  }
  return subject;
}

std::vector<ParameterChange> parameter_changes(const std::string& incumbent,
                                               const std::string& candidate) {
  std::vector<ParameterChange> changes;
  const std::optional<VariantName> before = parse_variant_id(incumbent);
  const std::optional<VariantName> after = parse_variant_id(candidate);
  if (!before || !after) return changes;
  const bool same_mechanism = before->mechanism == after->mechanism;
  if (!same_mechanism) changes.push_back({"mechanism", before->mechanism, after->mechanism});
  const auto value_in = [](const VariantName& variant, const std::string& name) {
    for (const auto& [key, value] : variant.params) {
      if (key == name) return value;
    }
    return std::string();
  };
  for (const auto& [name, from] : before->params) {
    const std::string to = value_in(*after, name);
    if (from != to && (same_mechanism || !to.empty())) changes.push_back({name, from, to});
  }
  for (const auto& [name, to] : after->params) {
    if (same_mechanism && value_in(*before, name).empty()) changes.push_back({name, "", to});
  }
  return changes;
}

bool LawPredicate::matches(const LawSubject& subject) const {
  if (!levers.empty() && !contains(levers, subject.lever)) return false;
  if (!classes.empty() && !contains(classes, to_string(subject.lever_class))) return false;
  if (!mechanisms.empty() && !contains(mechanisms, subject.mechanism)) return false;
  if (!phase.empty() && phase != subject.phase) return false;
  if (!device.empty() && !on_device(device, subject.device)) return false;
  if (expect_wall_below && !(subject.expect_wall && *subject.expect_wall < *expect_wall_below)) {
    return false;
  }
  return (ops.empty() && changes.empty()) || has_change(*this, subject);
}

std::string LawPredicate::describe() const {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::vector<std::string>& words) {
    if (!words.empty()) parts.push_back(fmt::format("{} {}", name, fmt::join(words, " or ")));
  };
  add("lever", levers);
  add("op", ops);
  std::vector<std::string> changed;
  for (const Wanted& change : changes) changed.push_back(described(change));
  add("changes", changed);
  add("class", classes);
  add("mechanism", mechanisms);
  if (!phase.empty()) parts.push_back("phase " + phase);
  if (!device.empty()) parts.push_back("device " + device);
  if (expect_wall_below) {
    parts.push_back(fmt::format("expects less than {:g} % of the step", 100 * *expect_wall_below));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> read_words(const YamlSource& source, const YamlValue& value,
                                    std::string_view name) {
  return read_each(source, value, name, [](const YamlValue&) {});
}

LawPredicate read_predicate(const YamlSource& source, const YamlValue& value,
                            std::string_view name) {
  const std::string at(name);
  const YamlMap map(source, value, "`" + at + "`", kKeys);
  if (value.entries.empty())
    source.fail(value, fmt::format("`{}` is empty: it would match all", at));
  LawPredicate law;
  if (const auto* lever = map.find("lever")) law.levers = read_words(source, *lever, at + ".lever");
  if (const auto* op = map.find("op")) {
    law.ops =
        read_each(source, *op, at + ".op", [&](const YamlValue& one) { check_op(source, one); });
  }
  if (const auto* changes = map.find("changes")) {
    law.changes = read_changes(source, *changes, at + ".changes");
  }
  if (const auto* word = map.find("class")) {
    law.classes = read_choices(source, *word, at + ".class", kClasses);
  }
  if (const auto* word = map.find("mechanism")) {
    law.mechanisms = read_choices(source, *word, at + ".mechanism", kMechanisms);
  }
  if (const auto* word = map.find("phase")) {
    law.phase = read_choice(source, *word, at + ".phase", kPhases);
  }
  if (const auto* key = map.find("device")) {
    law.device = read_device_key(source, *key, at + ".device");
  }
  if (const auto* wall = map.find("expect_wall_below")) {
    law.expect_wall_below = read_fraction(source, *wall, at + ".expect_wall_below");
  }
  return law;
}

}  // namespace assay
