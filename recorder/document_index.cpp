// The index: one table of everything by number, then the same by state, verdict, lever, op, device
// and campaign as lists of links; what is owed; which numbers are missing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>

#include "recorder/document.h"
#include "recorder/document_rendering.h"
#include "recorder/historical_document.h"
#include "recorder/index_entry.h"
#include "recorder/shown_value.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

std::string path_of(const ExperimentLabel& label) {
  return "records/" + record_stem(label) + ".md";
}

std::string op_of(const IndexEntry& entry) {
  return entry.lever.substr(0, entry.lever.find('.'));
}

// What the op's lever is called: "tkv" of "attention_prefill.tkv".
std::string lever_of_op(const IndexEntry& entry) {
  const std::size_t point = entry.lever.find('.');
  return point == std::string::npos ? "" : entry.lever.substr(point + 1);
}

void add_table(Document& document, const std::vector<IndexEntry>& all) {
  std::vector<std::vector<Line>> rows{{{words("number")},
                                       {words("state")},
                                       {words("experiment")},
                                       {words("lever")},
                                       {words("class")},
                                       {words("verdict")},
                                       {words("reason")},
                                       {words("effect")},
                                       {words("device")},
                                       {words("date")}}};
  for (const IndexEntry& entry : all) {
    rows.push_back(row_of(fmt::format("{:04}", entry.label.number), entry.state,
                          link(entry.title, path_of(entry.label)),
                          entry.lever.empty() ? words("") : code(entry.lever), entry.lever_class,
                          entry.verdict, entry.reason, entry.effect, entry.device, entry.date));
  }
  document.table(std::move(rows));
}

// One line per group: its name, how many, a link for each, behind what `kind_of` says of it where
// that changes. Members of no name are left out; a list without a group is none.
using NameOf = std::function<std::string(const IndexEntry&)>;
void add_list(Document& document, const std::string& title, const std::vector<IndexEntry>& all,
              bool as_code, const NameOf& name_of, const NameOf& kind_of = nullptr) {
  std::map<std::string, std::map<std::string, std::vector<const IndexEntry*>>> groups;
  for (const IndexEntry& entry : all) {
    const std::string name = name_of(entry);
    if (!name.empty()) groups[name][kind_of ? kind_of(entry) : ""].push_back(&entry);
  }
  std::vector<Line> lines;
  for (const auto& [name, kinds] : groups) {
    std::size_t count = 0;
    Line links;
    for (const auto& [kind, members] : kinds) {
      if (count > 0) links.push_back(words("; "));
      if (!kind.empty()) links.push_back(code(kind));
      if (!kind.empty()) links.push_back(words(" "));
      for (const IndexEntry* entry : members) {
        if (entry != members.front()) links.push_back(words(", "));
        links.push_back(link(fmt::format("{:04}", entry->label.number), path_of(entry->label)));
      }
      count += members.size();
    }
    Line line{as_code ? code(name) : words(name), words(fmt::format(" ({}): ", count))};
    line.insert(line.end(), links.begin(), links.end());
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return;
  document.heading(2, title);
  document.list(std::move(lines));
}

void add_lists(Document& document, const std::vector<IndexEntry>& all) {
  add_list(document, "By state", all, false, [](const IndexEntry& entry) { return entry.state; });
  add_list(document, "By verdict", all, false, [](const IndexEntry& entry) {
    return entry.verdict + (entry.reason.empty() ? "" : ", " + entry.reason);
  });
  add_list(document, "By op and lever", all, true, op_of, lever_of_op);
  add_list(document, "By device", all, false, [](const IndexEntry& entry) { return entry.device; });
  add_list(document, "By campaign", all, true,
           [](const IndexEntry& entry) { return entry.campaign; });
}

// "2, 5 to 7", or "".
std::string gaps(const std::vector<IndexEntry>& all) {
  std::string out;
  int expected = 1;
  for (const IndexEntry& entry : all) {
    const int number = entry.label.number;
    if (number > expected) {
      const int last = number - 1;
      out += fmt::format("{}{}", out.empty() ? "" : ", ", expected);
      if (last > expected) out += fmt::format(" to {}", last);
    }
    expected = number + 1;
  }
  return out;
}

}  // namespace

IndexEntry index_entry(const RecordParts& parts) {
  const ExperimentView& view = parts.view;
  IndexEntry entry;
  entry.label = parts.label;
  entry.state = status_mark(view);
  entry.title = title_of(parts);
  entry.reason = reason_of(view);
  entry.device = device_of(view);
  entry.date = date_of(view);
  entry.owed = lessons_owed(view, parts.notes);
  if (parts.definition) {
    entry.lever = parts.definition->lever;
    entry.lever_class = to_string(parts.definition->lever_class);
    entry.campaign = parts.definition->campaign;
  }
  if (const AttemptView* judged = view.judged()) {
    entry.verdict = judged->verdict->verdict;
    if (judged->verdict->effect.is_object()) {
      entry.effect = percent(value_at(stated_effect(*judged->verdict), "estimate"));
    }
  }
  return entry;
}

std::string render_index(const Store& store, const std::string& workspace) {
  return Rendering(store, workspace).index();
}

std::string render_index(const std::vector<IndexEntry>& all, const std::string& workspace) {
  Document document;
  document.comment("Generated by assay from results/records; do not edit: run `assay index`.");
  document.heading(1, "Experiments");
  document.paragraph(
      fmt::format("{} experiment{} on record.", all.size(), all.size() == 1 ? "" : "s"));
  const std::string missing = gaps(all);
  if (!missing.empty()) {
    document.paragraph({strong("Missing numbers:"),
                        words(" " + missing + ". A record was deleted, or has not been shared.")});
  }
  add_table(document, all);
  add_lists(document, all);
  add_historical_group(document, read_historical(workspace).entries);
  std::vector<Line> owed;
  for (const IndexEntry& entry : all) {
    if (entry.owed.empty()) continue;
    owed.push_back({link(record_stem(entry.label), path_of(entry.label)),
                    words(fmt::format(": {}", fmt::join(entry.owed, ", ")))});
  }
  document.heading(2, fmt::format("Lessons owed ({})", owed.size()));
  if (owed.empty()) document.paragraph("None.");
  document.list(std::move(owed));
  return to_markdown(document);
}

}  // namespace assay
