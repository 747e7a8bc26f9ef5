#include "experiments/historical.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>

#include "engine/core/error.h"
#include "experiments/caret.h"
#include "experiments/slug.h"
#include "experiments/variant_reference.h"
#include "experiments/yaml_map.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Kind = YamlValue::Kind;

constexpr std::array<std::string_view, 17> kKeys{
    "id",   "slug",  "title", "levers",  "op",   "class",      "verdict", "reason", "device",
    "date", "asked", "found", "effects", "veto", "retry_when", "lessons", "meets"};
constexpr std::array<std::string_view, 5> kEffectKeys{"what", "before", "after", "unit", "change"};
constexpr std::array<std::string_view, 3> kClasses{"bitwise", "reorder", "operand"};
constexpr std::array<std::string_view, 2> kVerdicts{"LAND", "REVERT"};
constexpr std::size_t kLineBytes = 120;

// The number of "hist-60"; 0 when the text is no such id.
int number_of(std::string_view id) {
  constexpr std::string_view kPrefix = "hist-";
  if (!id.starts_with(kPrefix)) return 0;
  const std::string_view digits = id.substr(kPrefix.size());
  int number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = fault == std::errc() && end == digits.data() + digits.size();
  return whole && !digits.starts_with('0') && number > 0 ? number : 0;
}

std::string read_id(const YamlSource& source, const YamlValue& value) {
  std::string id = read_line(source, value, "id", kLineBytes);
  if (number_of(id) == 0) {
    source.fail(value, fmt::format("`id` is {}; historical entries are called hist-1, hist-2, ...",
                                   shown(id)));
  }
  return id;
}

double read_number(const YamlSource& source, const YamlValue& value, const std::string& name) {
  const std::string text = read_line(source, value, name, kLineBytes);
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    source.fail(value, fmt::format("`{}` must be a number, not {}", name, shown(text)));
  }
  return number;
}

HistoricalEffect read_effect(const YamlSource& source, const YamlValue& value) {
  const YamlMap map(source, value, "an effect", kEffectKeys);
  return {.what = read_line(source, map.need("what"), "what", kLineBytes),
          .before = read_number(source, map.need("before"), "before"),
          .after = read_number(source, map.need("after"), "after"),
          .unit = read_line(source, map.need("unit"), "unit", kLineBytes),
          .change = read_line(source, map.need("change"), "change", kLineBytes)};
}

// "2026-09-06"
std::string read_date(const YamlSource& source, const YamlValue& value) {
  const std::string date = read_line(source, value, "date", kLineBytes);
  const std::string form = "dddd-dd-dd";
  bool right = date.size() == form.size();
  for (std::size_t i = 0; right && i < form.size(); ++i) {
    right = form[i] == '-' ? date[i] == '-' : date[i] >= '0' && date[i] <= '9';
  }
  if (!right) source.fail(value, fmt::format("`date` is {}; write it as 2026-01-31", shown(date)));
  return date;
}

void read_outcome(const YamlSource& source, const YamlMap& root, HistoricalEntry& entry) {
  entry.verdict = read_choice(source, root.need("verdict"), "verdict", kVerdicts);
  const bool land = entry.verdict == "LAND";
  for (const char* key : {"reason", "veto", "retry_when"}) {
    if (land && root.find(key) != nullptr) {
      source.fail(root.key(key), fmt::format("`{}` belongs to a REVERT", key));
    }
    if (!land) root.need(key);
  }
  if (land) return;
  entry.reason = read_line(source, root.need("reason"), "reason", kLineBytes);
  entry.veto = read_text(source, root.need("veto"), "veto");
  entry.retry_when = read_text(source, root.need("retry_when"), "retry_when");
}

void read_lists(const YamlSource& source, const YamlMap& root, HistoricalEntry& entry) {
  if (const YamlValue* effects = root.find("effects")) {
    require_kind(source, *effects, Kind::kList, "effects");
    for (const YamlValue& one : effects->items) {
      entry.effects.push_back(read_effect(source, one));
    }
  }
  const YamlValue& lessons = root.need("lessons");
  require_kind(source, lessons, Kind::kList, "lessons");
  for (const YamlValue& one : lessons.items) {
    entry.lessons.push_back(read_text(source, one, "lessons"));
  }
}

}  // namespace

std::string historical_origin(const HistoricalEntry& entry) {
  return fmt::format("from another GPU ({}), not measured here", entry.device);
}

HistoricalEntry parse_historical(const std::string& text, const std::string& file_name) {
  const YamlSource source(text, file_name);
  const YamlMap root(source, source.root(), "a historical entry", kKeys);
  HistoricalEntry entry;
  entry.text = text;
  entry.id = read_id(source, root.need("id"));
  entry.slug = read_slug(source, root.need("slug"), "slug");
  entry.title = read_line(source, root.need("title"), "title", kLineBytes);
  entry.levers = read_words(source, root.need("levers"), "levers");
  entry.op = read_line(source, root.need("op"), "op", kLineBytes);
  read_op(source, root.need("op"));
  const std::string word = read_choice(source, root.need("class"), "class", kClasses);
  entry.lever_class = word == "bitwise"   ? LeverClass::kBitwise
                      : word == "reorder" ? LeverClass::kReorder
                                          : LeverClass::kOperand;
  read_outcome(source, root, entry);
  entry.device = read_line(source, root.need("device"), "device", kLineBytes);
  if (const YamlValue* date = root.find("date")) entry.date = read_date(source, *date);
  entry.asked = read_text(source, root.need("asked"), "asked");
  entry.found = read_text(source, root.need("found"), "found");
  read_lists(source, root, entry);
  if (const YamlValue* meets = root.find("meets")) {
    entry.meets = read_predicate(source, *meets, "meets");
  }
  return entry;
}

HistoricalEntries read_historical(const std::string& workspace) {
  HistoricalEntries read;
  std::map<std::string, std::string> seen;  // id -> file
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator file(workspace + "/" + kHistoricalFolder, error);
  for (; !error && file != fs::directory_iterator(); file.increment(error)) {
    if (file->path().extension() == ".yaml") names.push_back(file->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::string relative = fmt::format("{}/{}", kHistoricalFolder, name);
    try {
      HistoricalEntry entry =
          parse_historical(read_yaml_text(workspace + "/" + relative), relative);
      entry.path = relative;
      const auto [first, fresh] = seen.emplace(entry.id, relative);
      if (!fresh) {
        throw Error(ErrorKind::kUsage, fmt::format("{}: {} is the entry of {} already", relative,
                                                   entry.id, first->second));
      }
      read.entries.push_back(std::move(entry));
    } catch (const Error& fault) {
      read.faults.emplace_back(fault.what());
    }
  }
  std::sort(read.entries.begin(), read.entries.end(),
            [](const HistoricalEntry& a, const HistoricalEntry& b) {
              return number_of(a.id) < number_of(b.id);
            });
  return read;
}

const HistoricalEntry* find_historical(const std::vector<HistoricalEntry>& entries,
                                       const std::string& id) {
  for (const HistoricalEntry& entry : entries) {
    if (entry.id == id || entry.stem() == id) return &entry;
  }
  return nullptr;
}

nlohmann::ordered_json historical_json(const HistoricalEntry& entry) {
  nlohmann::ordered_json json{{"id", entry.id},
                              {"slug", entry.slug},
                              {"title", entry.title},
                              {"historical", true},
                              {"origin", historical_origin(entry)},
                              {"levers", entry.levers},
                              {"op", entry.op},
                              {"class", to_string(entry.lever_class)},
                              {"verdict", entry.verdict},
                              {"reason", entry.reason},
                              {"device", entry.device},
                              {"date", entry.date},
                              {"asked", entry.asked},
                              {"found", entry.found},
                              {"effects", nlohmann::ordered_json::array()},
                              {"veto", entry.veto},
                              {"retry_when", entry.retry_when},
                              {"lessons", entry.lessons}};
  for (const HistoricalEffect& effect : entry.effects) {
    json["effects"].push_back({{"what", effect.what},
                               {"before", effect.before},
                               {"after", effect.after},
                               {"unit", effect.unit},
                               {"change", effect.change}});
  }
  return json;
}

}  // namespace assay
