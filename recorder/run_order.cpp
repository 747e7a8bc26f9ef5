#include "recorder/run_order.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <string_view>

#include "experiments/record/json_reader.h"

namespace assay {
namespace {

std::string name_of(const Store::RunTexts& of) {
  return fmt::format("run {} ({})", of.run.ordinal, of.run.id);
}

constexpr std::string_view kKey = "\"ordinal\"";

// Of an opening as the store writes it: the ordinal whose key is at `key`, in the outermost object,
// without reading the rest. Nothing where it may be otherwise.
std::optional<int> plain_ordinal(std::string_view opening, std::size_t key) {
  const std::size_t at = key + kKey.size();
  const std::string_view before = opening.substr(0, key);
  const bool plain = opening.starts_with('{') && opening.ends_with('}') &&
                     before.find_first_of("{[\\", 1) == std::string_view::npos &&
                     opening.substr(at).starts_with(':') &&
                     opening.find(kKey, at) == std::string_view::npos;
  if (!plain) return std::nullopt;
  int ordinal = 0;
  const char* const end = opening.data() + opening.size();
  const auto [behind, error] = std::from_chars(opening.data() + at + 1, end, ordinal);
  const bool whole = error == std::errc() && behind != end && (*behind == ',' || *behind == '}');
  return whole ? std::optional(ordinal) : std::nullopt;
}

std::optional<int> sealed_ordinal_of(std::string_view opening) {
  const std::size_t key = opening.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  if (const auto plain = plain_ordinal(opening, key)) return plain;
  try {
    return sealed_ordinal(read_json(opening));
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // an opening that is no JSON is told by who reads it
  }
}

std::string_view opened_at(const Store::RunTexts& of) {
  return of.events.empty() ? std::string_view() : of.events.front().at;
}

// By seal, how many runs were sealed before this one; a chain that is broken ends early.
std::map<std::string, int> places_in_chain(std::span<const Store::RunTexts> runs) {
  std::map<std::string, std::string> next;  // previous seal -> seal
  for (const Store::RunTexts& of : runs) {
    if (!of.run.seal.empty()) next.emplace(of.run.previous, of.run.seal);
  }
  std::map<std::string, int> places;
  std::string last;
  for (auto at = next.find(last); at != next.end() && !places.contains(at->second);
       at = next.find(last)) {
    last = at->second;
    places.emplace(last, static_cast<int>(places.size()));
  }
  return places;
}

}  // namespace

std::optional<int> sealed_ordinal(const nlohmann::json& opening) {
  if (!opening.is_object() || !opening.contains("ordinal")) return std::nullopt;
  const nlohmann::json& ordinal = opening.at("ordinal");
  return ordinal.is_number_integer() ? ordinal.get<int>() : -1;
}

std::vector<std::string> run_order_faults(std::span<const Store::RunTexts> runs) {
  std::vector<std::string> lines;
  const std::map<std::string, int> chain = places_in_chain(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Store::RunTexts& of = runs[i];
    const std::optional<int> sealed =
        of.events.empty() ? std::nullopt : sealed_ordinal_of(of.events.front().body);
    if (sealed) {
      if (*sealed == of.run.ordinal) continue;
      lines.push_back(fmt::format("{}: was opened as run {}", name_of(of), *sealed));
    } else if (of.run.ordinal != static_cast<int>(i)) {
      lines.push_back(fmt::format("{}: there is no run {} before it", name_of(of), i));
    } else if (i > 0) {
      const auto here = chain.find(of.run.seal), before = chain.find(runs[i - 1].run.seal);
      const bool turned = here != chain.end() && before != chain.end() &&
                          here->second < before->second && opened_at(of) < opened_at(runs[i - 1]);
      if (!turned) continue;
      lines.push_back(fmt::format("{}: was opened and ended before run {}", name_of(of), i - 1));
    }
  }
  return lines;
}

}  // namespace assay
