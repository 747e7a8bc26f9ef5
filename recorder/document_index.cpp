// The index: one table of everything by number, then the same by state, verdict, lever, op, device
// and campaign as lists of links; what is owed; which numbers are missing.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "recorder/document.h"
#include "recorder/historical_document.h"
#include "recorder/in_parallel.h"
#include "recorder/record_parts.h"
#include "recorder/shown_value.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

std::string path_of(const ExperimentLabel& label) {
  return "records/" + record_stem(label) + ".md";
}

std::string op_of(const Definition& definition) {
  return definition.lever.substr(0, definition.lever.find('.'));
}

// What the op's lever is called: "tkv" of "attention_prefill.tkv".
std::string lever_of_op(const Definition& definition) {
  return definition.lever.substr(std::min(definition.lever.find('.'), definition.lever.size() - 1) +
                                 1);
}

std::vector<Line> row_of(const RecordParts& parts) {
  const ExperimentView& view = parts.view;
  const AttemptView* judged = view.judged();
  const std::string effect = judged && judged->verdict->effect.is_object()
                                 ? percent(value_at(stated_effect(*judged->verdict), "estimate"))
                                 : kNotMeasured;
  return {{words(fmt::format("{:04}", parts.label.number))},
          {words(status_mark(view))},
          {link(title_of(parts), path_of(parts.label))},
          {parts.definition ? code(parts.definition->lever) : words("")},
          {words(parts.definition ? to_string(parts.definition->lever_class) : "")},
          {words(judged ? judged->verdict->verdict : "none")},
          {words(reason_of(view))},
          {words(effect)},
          {words(device_of(view))},
          {words(date_of(view))}};
}

void add_table(Document& document, const std::vector<RecordParts>& all) {
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
  for (const RecordParts& parts : all) rows.push_back(row_of(parts));
  document.table(std::move(rows));
}

// One line per group: its name, how many, a link for each, behind what `kind_of` says of it where
// that changes. Members of no name are left out; a list without a group is none.
using NameOf = std::function<std::string(const RecordParts&)>;
void add_list(Document& document, const std::string& title, const std::vector<RecordParts>& all,
              bool as_code, const NameOf& name_of, const NameOf& kind_of = nullptr) {
  std::map<std::string, std::map<std::string, std::vector<const RecordParts*>>> groups;
  for (const RecordParts& parts : all) {
    const std::string name = name_of(parts);
    if (!name.empty()) groups[name][kind_of ? kind_of(parts) : ""].push_back(&parts);
  }
  std::vector<Line> lines;
  for (const auto& [name, kinds] : groups) {
    std::size_t count = 0;
    Line links;
    for (const auto& [kind, members] : kinds) {
      if (count > 0) links.push_back(words("; "));
      if (!kind.empty()) links.push_back(code(kind));
      if (!kind.empty()) links.push_back(words(" "));
      for (const RecordParts* parts : members) {
        if (parts != members.front()) links.push_back(words(", "));
        links.push_back(link(fmt::format("{:04}", parts->label.number), path_of(parts->label)));
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

void add_lists(Document& document, const std::vector<RecordParts>& all) {
  const auto declared = [](auto get) {
    return [get](const RecordParts& parts) {
      return parts.definition ? std::string(get(*parts.definition)) : std::string();
    };
  };
  add_list(document, "By state", all, false,
           [](const RecordParts& parts) { return status_mark(parts.view); });
  add_list(document, "By verdict", all, false, [](const RecordParts& parts) {
    const AttemptView* judged = parts.view.judged();
    if (judged == nullptr) return std::string("none");
    const std::string reason = reason_of(parts.view);
    return judged->verdict->verdict + (reason.empty() ? "" : ", " + reason);
  });
  add_list(document, "By op and lever", all, true, declared(op_of), declared(lever_of_op));
  add_list(document, "By device", all, false,
           [](const RecordParts& parts) { return device_of(parts.view); });
  add_list(document, "By campaign", all, true,
           declared([](const Definition& definition) { return definition.campaign; }));
}

// "2, 5 to 7", or "".
std::string gaps(const std::vector<RecordParts>& all) {
  std::string out;
  int expected = 1;
  for (const RecordParts& parts : all) {
    const int number = parts.label.number;
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

std::string render_index(const Store& store, const std::string& workspace) {
  const auto recorded =
      std::make_shared<const std::vector<ExperimentLabel>>(recorded_experiments(store));
  std::vector<RecordParts> all(recorded->size());
  in_parallel(all.size(), [&](std::size_t i) {
    all[i] = gather_for_index(store, (*recorded)[i], workspace, recorded);
  });
  return render_index(all, workspace);
}

std::string render_index(const std::vector<RecordParts>& all, const std::string& workspace) {
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
  for (const RecordParts& parts : all) {
    std::string what;
    for (const std::string& section : lessons_owed(parts.view, parts.notes)) {
      what += (what.empty() ? "" : ", ") + section;
    }
    if (what.empty()) continue;
    owed.push_back({link(record_stem(parts.label), path_of(parts.label)), words(": " + what)});
  }
  document.heading(2, fmt::format("Lessons owed ({})", owed.size()));
  if (owed.empty()) document.paragraph("None.");
  document.list(std::move(owed));
  return to_markdown(document);
}

}  // namespace assay
