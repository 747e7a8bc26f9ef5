#include "recorder/number_clash.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace assay {
namespace {

class Clashes {
 public:
  Clashes(const std::vector<ExperimentLabel>& here, const ArchivedHistory& archived,
          const std::string& there)
      : there_(there) {
    for (const ExperimentLabel& label : here) {
      slugs_[label.number] = label.slug;
      numbers_[label.slug] = label.number;
      last_ = std::max(last_, label.number);
    }
    for (const auto& experiment : archived.experiments) {
      numbers_there_[experiment.label.number] = experiment.label.slug;
      slugs_there_.insert(experiment.label.slug);
      last_ = std::max(last_, experiment.label.number);
    }
  }

  std::string line(const ExperimentLabel& label) {
    const auto known = numbers_.find(label.slug);
    if (known != numbers_.end() && known->second == label.number) return "";
    if (known != numbers_.end()) return line_of_one(label, known->second);
    const auto holder = slugs_.find(label.number);
    // A holder that is there with another number has a line of its own, which may settle this.
    if (holder == slugs_.end() || slugs_there_.contains(holder->second)) return "";
    const int number = ++last_;
    return fmt::format("number {} is {} here and {} there: {}, or {}", label.number, holder->second,
                       label.slug, over_there(label.slug, number),
                       command(holder->second, number) + " here");
  }

 private:
  // One experiment with two numbers: one of them, where it is free on the other side.
  std::string line_of_one(const ExperimentLabel& label, int here) {
    const std::string start =
        fmt::format("{} is number {} here and {} there: ", label.slug, here, label.number);
    std::string way;
    if (!slugs_.contains(label.number)) way = command(label.slug, label.number) + " here";
    if (!numbers_there_.contains(here)) {
      way += (way.empty() ? "" : ", or ") + over_there(label.slug, here);
    }
    if (!way.empty()) return start + way;
    const int number = ++last_;
    return start + command(label.slug, number) + " here, and " + over_there(label.slug, number);
  }

  static std::string command(const std::string& slug, int number) {
    return fmt::format("`assay renumber {} {}`", slug, number);
  }
  std::string over_there(const std::string& slug, int number) const {
    if (there_.empty()) {
      return command(slug, number) + " in the other workspace and export again";
    }
    return fmt::format("`assay renumber {} {} --workspace {}`", slug, number, there_);
  }

  const std::string& there_;
  std::map<int, std::string> slugs_, numbers_there_;
  std::map<std::string, int> numbers_;
  std::set<std::string> slugs_there_;
  int last_ = 0;
};

}  // namespace

std::vector<std::string> number_clashes(const std::vector<ExperimentLabel>& here,
                                        const ArchivedHistory& archived, const std::string& there) {
  Clashes clashes(here, archived, there);
  std::vector<std::string> lines;
  for (const auto& experiment : archived.experiments) {
    const std::string line = clashes.line(experiment.label);
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace assay
