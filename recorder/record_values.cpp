#include "recorder/record_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/nearest_name.h"
#include "experiments/record/replication.h"
#include "recorder/markdown_code.h"
#include "recorder/shown_value.h"
#include "recorder/verdict_facts.h"

namespace assay {
namespace {

using Json = nlohmann::json;

// Shown in the middle of an author's Markdown: nothing in it may act there.
bool is_plain(const std::string& text) {
  constexpr std::string_view kMarks = " +-.,:%/()=";
  return !text.empty() && text.size() <= 100 && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

class Values {
 public:
  std::vector<RecordValue> take() {
    std::vector<RecordValue> values;
    for (auto& [name, value] : by_name_) values.push_back(std::move(value));
    return values;
  }

  void attempt(const std::string& prefix, const AttemptView& attempt) {
    prefix_ = prefix;
    if (attempt.verdict) {
      word("verdict", attempt.verdict->verdict);
      word("reason", attempt.verdict->reason);
      effect("ab", attempt.verdict->effect);
    }
    for (auto look = attempt.looks.rbegin(); look != attempt.looks.rend(); ++look) {
      Json values = look->values;
      if (!values.is_object()) continue;
      values["pairs"] = look->pairs;
      std::string stage = look->stage;
      std::erase(stage, ':');  // guard:0
      effect(stage, values);
    }
    fraction("bar", value_at(plan_of(attempt), "bar"), false);
    for (auto gate = attempt.gates.rbegin(); gate != attempt.gates.rend(); ++gate) {
      const GateResult& result = gate->result;
      word(result.gate + ".outcome", result.outcome);
      number(result.gate + ".seconds", result.seconds, "s", "{:.2f} s", false);
      add_leaves(result.gate, result.values);
    }
  }

  void replication(const std::string& name, const Replication& again) {
    prefix_.clear();
    word(name + ".outcome", again.outcome);
    if (again.again.timed()) effect(name, again.again.effect);
  }

  void declared(const Definition& definition) {
    prefix_.clear();
    fraction("bar", definition.bar, false);
    if (definition.expect_wall) fraction("expect.wall", *definition.expect_wall, false);
    if (definition.expect_kernel) fraction("expect.kernel", *definition.expect_kernel, false);
  }

 private:
  void add(RecordValue value) {
    value.name = prefix_ + value.name;
    by_name_.emplace(value.name, std::move(value));  // the first one said stays
  }
  void word(const std::string& name, const std::string& text) {
    if (is_plain(text)) add({name, text, std::nullopt, "", false});
  }
  void number(const std::string& name, double value, const std::string& unit,
              const std::string& form, bool result) {
    if (!std::isfinite(value)) return;
    add({name, fmt::format(fmt::runtime(form), value), value, unit, result});
  }
  void fraction(const std::string& name, const Json& value, bool result) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) return;
    add({name, percent(value), 100 * value.get<double>(), "%", result});
  }
  void effect(const std::string& stage, const Json& values) {
    fraction(stage + ".effect", value_at(values, "estimate"), true);
    fraction(stage + ".low", value_at(values, "low"), true);
    fraction(stage + ".high", value_at(values, "high"), true);
    fraction(stage + ".lower", value_at(values, "lower"), true);
    fraction(stage + ".pair_sd", value_at(values, "pair_sd"), false);
    const Json& pairs = value_at(values, "pairs");
    if (pairs.is_number()) {
      number(stage + ".pairs", pairs.get<double>(), "pairs", "{:.0f} pairs", true);
    }
  }

  // What a gate stored, as far as it is a value: numbers, yes and no, plain words.
  void add_leaves(const std::string& gate, const Json& values) {
    if (!values.is_object()) return;
    for (const auto& [key, value] : values.items()) {
      const std::string name = gate + "." + key;
      if (key == "judgement") continue;
      if (value.is_object()) {
        add_leaves(name, value);
      } else if (value.is_number()) {
        add_number(name, key, value.get<double>(), value_at(values, "rate_unit"));
      } else if (value.is_boolean() || value.is_string()) {
        word(name, shown(value));
      }
    }
  }
  void add_number(const std::string& name, const std::string& key, double value,
                  const Json& rate_unit) {
    static const std::vector<std::string> kFractions{
        "expect_wall", "expect_kernel", "smallest_detectable", "pair_sd", "testable_share"};
    const std::string stem = name.substr(0, name.rfind('_'));
    if (std::find(kFractions.begin(), kFractions.end(), key) != kFractions.end()) {
      number(name, 100 * value, "%", "{:.2f} %", false);
    } else if (key.ends_with("_ms")) {
      number(stem + "_time", value, "ms", "{:.3f} ms", true);
    } else if (key.ends_with("_rate")) {
      const std::string unit = rate_unit.is_string() ? rate_unit.get<std::string>() : "tok/s";
      if (is_plain(unit)) number(name, value, unit, "{:.2f} " + unit, true);
    } else if (std::isfinite(value)) {
      add({name, fmt::format("{:.6g}", value), value, "", false});
    }
  }

  std::string prefix_;
  std::map<std::string, RecordValue> by_name_;
};

// The names in a text, outside of code.
struct Named {
  std::size_t at = 0, end = 0;  // of the whole {{name}}
  std::string name;
};
std::vector<Named> names_in(const std::string& text) {
  constexpr std::size_t kLongest = 200;
  std::vector<Named> found;
  if (text.find("{{") == std::string::npos) return found;
  const std::vector<bool> code = code_in(text);
  for (std::size_t at = text.find("{{"); at != std::string::npos; at = text.find("{{", at)) {
    const std::string window = text.substr(at + 2, kLongest + 2);
    const std::size_t length = window.find("}}");
    const std::string inner = window.substr(0, length);
    if (code[at] || length == std::string::npos ||
        inner.find_first_of("{\n") != std::string::npos) {
      ++at;
      continue;
    }
    const std::size_t first = inner.find_first_not_of(' ');
    const std::size_t last = inner.find_last_not_of(' ');
    const std::size_t close = at + 2 + length;
    found.push_back(
        {at, close + 2, first == std::string::npos ? "" : inner.substr(first, last - first + 1)});
    at = close + 2;
  }
  return found;
}

const RecordValue* find_value(const std::vector<RecordValue>& values, const std::string& name) {
  const auto at = std::lower_bound(
      values.begin(), values.end(), name,
      [](const RecordValue& value, const std::string& wanted) { return value.name < wanted; });
  return at != values.end() && at->name == name ? &*at : nullptr;
}

}  // namespace

std::vector<RecordValue> record_values(const ExperimentView& view,
                                       const std::optional<Definition>& definition) {
  Values values;
  const AttemptView* said = view.judged();
  if (said == nullptr && !view.attempts.empty()) said = &view.attempts.back();
  if (said != nullptr) values.attempt("", *said);
  for (const AttemptView& attempt : view.attempts) {
    values.attempt(fmt::format("attempt{}.", attempt.opened.ordinal), attempt);
  }
  const std::vector<Replication> again = replications(view);
  for (std::size_t i = 0; i < again.size(); ++i) {
    values.replication(fmt::format("replication{}", i + 1), again[i]);
  }
  if (definition) values.declared(*definition);
  return values.take();
}

std::string with_values(const std::string& text, const std::vector<RecordValue>& values) {
  std::string out;
  std::size_t done = 0;
  for (const Named& named : names_in(text)) {
    const RecordValue* value = find_value(values, named.name);
    if (value == nullptr) continue;
    out += text.substr(done, named.at - done) + value->text;
    done = named.end;
  }
  return out + text.substr(done);
}

std::vector<std::string> unknown_names(const std::string& path, const std::string& text,
                                       const std::string& slug,
                                       const std::vector<RecordValue>& values) {
  std::vector<std::string> lines;
  for (const Named& named : names_in(text)) {
    if (find_value(values, named.name) != nullptr) continue;
    if (lines.size() >= kMostFaults) break;
    std::vector<std::string_view> names;
    for (const RecordValue& value : values) names.push_back(value.name);
    lines.push_back(fmt::format(
        "{}: {{{{{}}}}} is no value of {}{}", place_of(path, text, named.at), named.name, slug,
        suggestion(named.name, names, fmt::format("`assay show {} --values` lists them", slug))));
  }
  return lines;
}

}  // namespace assay
