// assay tried WORDS...: was this tried, on which GPU, and why did it fail?
//
// One answer for each experiment that was about it: verdict, effect, device, what stopped it, what
// its author learned, and whether another attempt may be made. A word that is the name of a lever,
// an op or a variant asks for experiments on just that; all other words are searched in everything
// that was written. Nothing found is an answer, too, with the nearest names, since most such
// questions are mistyped ones.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/json_output.h"
#include "experiments/levers.h"
#include "experiments/nearest_name.h"
#include "gates/cli/command.h"
#include "gates/cli/counted.h"
#include "gates/cli/tell.h"
#include "gates/cli/told_historical.h"
#include "gates/cli/workspace.h"
#include "recorder/catalog.h"
#include "recorder/historical_document.h"
#include "recorder/search_words.h"
#include "recorder/shown_value.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

struct Options {
  std::vector<std::string> words;
  std::string gpu;
};

struct Names {
  std::set<std::string> levers, ops, variants;
};

Names known_names(const Catalog& catalog) {
  HistoryNames history = catalog.names();
  Names names{std::move(history.levers), std::move(history.ops), std::move(history.variants)};
  for (const Lever& lever : levers()) names.levers.insert(lever.name);
  for (const OpVariants& op : all_ops()) names.ops.insert(std::string(op.op.op));
  return names;
}

QueryFilter filter_of(const Options& options, const Names& names) {
  QueryFilter filter;
  filter.gpu = options.gpu;
  for (const std::string& word : options.words) {
    if (filter.lever.empty() && names.levers.contains(word)) {
      filter.lever = word;
    } else if (filter.op.empty() && names.ops.contains(word)) {
      filter.op = word;
    } else if (filter.variant.empty() && names.variants.contains(word)) {
      filter.variant = word;
    } else {
      filter.text += (filter.text.empty() ? "" : " ") + word;
    }
  }
  return filter;
}

constexpr int kLongest = 240;  // columns of one line of text

std::string line(const char* name, const std::string& text) {
  if (text.empty()) return "";
  return fmt::format("      {}: {}\n", name, cut_to_width(visible_line(text), kLongest));
}

std::string effect_of(const QueryRow& row) {
  if (!row.effect.is_number()) return "not timed";
  std::string text = percent(row.effect);
  if (row.interval.is_array() && row.interval.size() == 2) {
    text += fmt::format(" ({} to {})", percent(row.interval[0]), percent(row.interval[1]));
  }
  return text + fmt::format(", {}", counted(static_cast<std::size_t>(row.pairs), "pair"));
}

std::string place_in_words(const std::string& place) {
  if (place == "veto") return "veto mechanism";
  if (place == "retry") return "retry condition";
  if (place == "retry_when") return "retry condition, as declared";
  if (place == "reasons") return "verdict";
  if (place == "gates") return "what a gate said";
  return place;
}

std::string in_words(const QueryRow& row) {
  const std::string number = !row.historical.empty() ? row.historical
                             : row.number > 0        ? fmt::format("{:04}", row.number)
                                                     : "-   ";
  std::string text = fmt::format("{}  {}: {}\n", number, visible_line(row.slug),
                                 cut_to_width(visible_line(row.title), kLongest));
  std::string verdict = row.verdict.empty() ? row.state : row.verdict;
  if (!row.reason.empty()) verdict += " " + row.reason;
  std::vector<std::string> facts;
  for (const std::string& fact : {row.lever, verdict, effect_of(row)}) {
    if (!fact.empty()) facts.push_back(visible_line(fact));
  }
  text += fmt::format("      {}\n", fmt::join(facts, "; "));
  text += fmt::format("      on {}, {}\n",
                      row.devices.empty()
                          ? "no device yet"
                          : visible_line(fmt::format("{}", fmt::join(row.devices, ", "))),
                      visible_line(row.date));
  text += line("why", row.why) + line("veto mechanism", row.veto) +
          line("retry condition", row.retry) + line("another attempt", row.next);
  if (!row.snippet.empty() && row.place != "names" && row.place != "title") {
    text += line(("found in " + place_in_words(row.place)).c_str(), row.snippet);
  }
  return text;
}

nlohmann::ordered_json in_json(const QueryRow& row) {
  nlohmann::ordered_json object;
  object["number"] = row.historical.empty() ? nlohmann::json(row.number) : nlohmann::json();
  object["slug"] = row.slug;
  object["title"] = row.title;
  object["lever"] = row.lever;
  object["state"] = row.state;
  object["verdict"] = row.verdict.empty() ? nlohmann::json() : nlohmann::json(row.verdict);
  object["reason"] = row.reason;
  object["effect"] = row.effect;
  object["interval"] = row.interval;
  object["pairs"] = row.pairs;
  object["devices"] = row.devices;
  object["date"] = row.date;
  object["why"] = row.why;
  object["veto_mechanism"] = row.veto;
  object["retry_condition"] = row.retry;
  object["another_attempt"] = row.next;
  object["found"] = row.place.empty()
                        ? nlohmann::json()
                        : nlohmann::json{{"place", row.place}, {"snippet", row.snippet}};
  return object;
}

void add_nearest(std::string& text, const std::string& typed,
                 const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string nearest = nearest_name(typed, views);
  if (nearest.empty() || nearest == typed) return;
  text += fmt::format("; nearest to {}: {}", visible_line(typed), visible_line(nearest));
}

// Why there is no answer, as far as it can be known.
std::string nothing_found(const Options& options, const QueryFilter& filter, const Catalog& catalog,
                          const Names& names) {
  const std::string asked = visible_line(fmt::format("{}", fmt::join(options.words, " ")));
  std::string text = fmt::format("nothing on record matches {}{}", asked,
                                 options.gpu.empty() ? "" : " on " + visible_line(options.gpu));
  const std::set<std::string> gpus = catalog.names().gpus;
  if (!options.gpu.empty() && catalog.find({.gpu = options.gpu}).empty()) {
    return text + fmt::format("; devices on record: {}",
                              gpus.empty() ? "none" : fmt::format("{}", fmt::join(gpus, ", ")));
  }
  const std::vector<SearchTerm> terms = search_terms(filter.text);
  std::vector<std::string> known = catalog.vocabulary();
  for (const auto* more : {&names.levers, &names.ops, &names.variants}) {
    known.insert(known.end(), more->begin(), more->end());
  }
  const std::size_t before = text.size();
  bool all_there = terms.size() > 1;
  for (const SearchTerm& term : terms) {
    const std::string alone = fmt::format("\"{}\"{}", term.text, term.begins ? "*" : "");
    if (!catalog.find({.text = alone}).empty()) continue;
    all_there = false;
    add_nearest(text, term.text, known);
  }
  if (all_there) return text + "; each of the words is there, but not in one experiment";
  for (const std::string& word : options.words) {
    if (names.levers.contains(word) || names.ops.contains(word) || names.variants.contains(word)) {
      return text + fmt::format("; there is {}, and nobody has tried it", visible_line(word));
    }
  }
  if (text.size() == before) text += "; words are whole ones: buffer* finds buffering, too";
  return text;
}

int act(const Options& options, const CommonOptions& common) {
  std::future<NotesFolder> looking = look_at_notes(find_workspace(common));
  Workspace workspace(common, Access::kRead);
  const HistoricalEntries historical = told_historical(workspace.root());
  const NotesFolder notes = looking.get();
  const bool whole = told_unreadable(notes) && historical.faults.empty();
  const Catalog catalog(workspace.store(), workspace.root(), notes.stamps,
                        historical_catalog(historical.entries));
  const int code = whole ? workspace.exit_code() : static_cast<int>(ErrorKind::kCheckFound);
  const Names names = known_names(catalog);
  QueryFilter filter = filter_of(options, names);
  if (filter.lever.empty() && filter.op.empty() && filter.variant.empty() &&
      search_terms(filter.text).empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("tried: {}: there is no word in it", visible_line(filter.text)));
  }
  std::vector<QueryRow> rows = catalog.find(filter);
  if (rows.empty()) {
    // On nothing of just that name; perhaps it is spoken of.
    filter = filter_of(options, {});
    rows = catalog.find(filter);
  }
  if (common.json) {
    nlohmann::ordered_json answer = nlohmann::ordered_json::array();
    for (const QueryRow& row : rows) answer.push_back(in_json(row));
    std::cout << json_output(answer) << std::endl;
    if (rows.empty()) {
      tell(nothing_found(options, filter, catalog, names));
    }
    return code;
  }
  if (rows.empty()) {
    std::cout << "tried: " << nothing_found(options, filter, catalog, names) << std::endl;
    return code;
  }
  std::string text;
  for (const QueryRow& row : rows) text += in_words(row);
  std::cout << text << "tried: " << counted(rows.size(), "experiment") << std::endl;
  return code;
}

}  // namespace

Action define_tried(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("WORDS", options->words,
                 "a lever, an op, a variant, or words; begin* and \"several words\" work, too")
      ->required();
  app.add_option("--gpu", options->gpu, "only attempts on this GPU or processor (part of a name)")
      ->type_name("GPU");
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
