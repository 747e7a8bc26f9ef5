// Notes are words of people and grow by lines. Where one text has all lines of the other, in their
// order, the longer one is taken; else a person has to make one of both. Rejected: joining them by
// machine, which would turn two corrections of one sentence into a contradiction.
#include "gates/cli/import_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/core/whole_file.h"
#include "experiments/record/text_diff.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool holds_all_lines(const std::string& text, const std::string& of) {
  const std::vector<std::string_view> wanted = lines_of(of);
  std::size_t met = 0;
  for (const std::string_view line : lines_of(text)) {
    if (met < wanted.size() && line == wanted[met]) ++met;
  }
  return met == wanted.size();
}

// The LAND of an experiment that is here already; nothing where it cannot be read any more, which
// is not for an import to say.
std::optional<LandClaim> land_of(const ExperimentView& view) {
  if (!has_landed(view)) return std::nullopt;
  try {
    return returned_land(view, {view.judged()->verdict_run});
  } catch (const Error&) {
    return std::nullopt;
  }
}

class Planner {
 public:
  Planner(const MergedHistory& merged, const ArchivedHistory& history, const std::string& root)
      : merged_(merged), history_(history), root_(root) {}

  ImportPlan plan() {
    for (const MergedExperiment& experiment : merged_.experiments) {
      const bool changed = !experiment.runs.empty() || experiment.sources > 0;
      if (changed) touched_.insert(experiment.label.slug);
      add_definition(experiment);
      add_notes(experiment);
    }
    change_maps();
    plan_.experiments.assign(touched_.begin(), touched_.end());
    return std::move(plan_);
  }

 private:
  void add_file(const std::string& path, const std::optional<std::string>& before,
                const std::string& after) {
    if (before == after) return;
    plan_.files.push_back({path, before ? sha256_hex(*before) : "", after});
  }

  void add_definition(const MergedExperiment& experiment) {
    const std::string& frozen = experiment.after.proposal.definition;
    const std::string& earlier = experiment.before.proposal.definition;
    if (frozen.empty() || frozen == earlier) return;
    const std::string path = fmt::format("experiments/definitions/{}.yaml", experiment.label.slug);
    const std::optional<std::string> here = text_of(root_, path);
    if (here && *here != frozen && *here != earlier) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: is another text here than the one that was frozen there: move "
                              "it away, then import again\n{}",
                              path, unified_diff(*here, frozen, "here", "frozen there")));
    }
    add_file(path, here, frozen);
    touched_.insert(experiment.label.slug);
  }

  void add_notes(const MergedExperiment& experiment) {
    const auto archived = history_.notes.find(experiment.label.slug);
    if (archived == history_.notes.end()) return;
    const std::string path = fmt::format("experiments/notes/{}.md", experiment.label.slug);
    const std::optional<std::string> here = text_of(root_, path);
    if (here && holds_all_lines(*here, archived->second)) return;
    if (here && !holds_all_lines(archived->second, *here)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: was written on in both workspaces: add the lines marked + here "
                              "by hand, in their order, then import again\n{}",
                              path, unified_diff(*here, archived->second, "here", "there")));
    }
    add_file(path, here, archived->second);
    touched_.insert(experiment.label.slug);
  }

  void change_maps() {
    std::map<std::string, std::vector<LandClaim>> lands;  // by the map's path
    std::vector<LandClaim> known;
    for (const MergedExperiment& experiment : merged_.experiments) {
      const auto land = returned_land(experiment.after, experiment.runs);
      const auto settled = last_settlement(experiment.after);
      if (has_landed(experiment.after) && settled && settled->kept) {
        plan_.kept.push_back(experiment.label.slug);
      }
      if (land) lands[land->path].push_back(*land);
      const auto any = land ? land : land_of(experiment.after);
      if (any) known.push_back(*any);
    }
    for (const char* path : kServiceMaps) {
      const std::optional<std::string> before = text_of(root_, path);
      std::string after = before.value_or("");
      const auto made = lands.find(path);
      if (made != lands.end()) {
        if (!before) {
          throw Error(ErrorKind::kUsage,
                      fmt::format("{}: is not here, and {} landed in it: bring the map first", path,
                                  made->second.front().slug));
        }
        after = with_returned_lands(after, made->second, known, plan_.map_changes);
        add_file(path, before, after);
      }
      const auto archived = history_.maps.find(path);
      if (archived != history_.maps.end() && archived->second != after) {
        plan_.map_differs.emplace_back(path);
      }
    }
  }

  const MergedHistory& merged_;
  const ArchivedHistory& history_;
  const std::string& root_;
  std::set<std::string> touched_;
  ImportPlan plan_;
};

}  // namespace

std::optional<std::string> text_of(const std::string& root, const std::string& path) {
  return read_whole_file(root + "/" + path, path);
}

std::string with_returned_lands(std::string text, std::vector<LandClaim> lands,
                                const std::vector<LandClaim>& known,
                                std::vector<std::string>& changes) {
  std::stable_sort(lands.begin(), lands.end(),
                   [](const LandClaim& a, const LandClaim& b) { return a.at < b.at; });
  for (const LandClaim& land : lands) text = with_returned_land(text, land, known, changes);
  return text;
}

ImportPlan plan_import(const MergedHistory& merged, const ArchivedHistory& history,
                       const std::string& root) {
  return Planner(merged, history, root).plan();
}

}  // namespace assay
