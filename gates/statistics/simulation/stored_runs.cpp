#include "gates/statistics/simulation/stored_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <numeric>

#include "engine/core/error.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/simulation/other_rules.h"

namespace assay::simulation {
namespace {

constexpr int kWindow = 8;  // pairs: the least that a plan has
constexpr int kSteps = 64;  // of a request, in every run of that script

// "add.cuda.planted_spin[cycles=925]" -> 925
double spin_cycles(const std::string& variant) {
  constexpr std::string_view kKey = "cycles=";
  const std::size_t at = variant.find(kKey);
  double cycles = 0;
  if (at != std::string::npos) {
    std::from_chars(variant.data() + at + kKey.size(), variant.data() + variant.size(), cycles);
  }
  return cycles;
}

// Mean cycles of a step of the arms that do not wait.
double baseline_cycles(const nlohmann::json& run) {
  double sum = 0;
  int count = 0;
  for (const nlohmann::json& sample : run.at("samples")) {
    const auto labels = sample.at("labels").get<std::string>();
    const auto cycles = sample.at("cycles").get<std::vector<double>>();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == 'B') continue;
      sum += cycles.at(i) / sample.at("requests").get<double>() / kSteps;
      ++count;
    }
  }
  return sum / count;
}

void add_run(const nlohmann::json& run, std::map<std::string, StoredSeries>& series) {
  if (run.at("arms") != 2) return;
  const auto planted = run.at("planted").get<std::string>();
  auto workload = run.at("workload").get<std::string>();
  workload = workload.substr(0, workload.find(" threads="));
  if (!run.value("in_turn", true)) workload += ", arms loaded together";
  const std::string key = workload + (planted.empty() ? "" : ", " + planted);
  StoredSeries& one = series[key];
  one.name = workload;
  if (!planted.empty()) {
    // Runs of one series share the spin; their steps differ by parts of a per cent.
    one.gain = spin_cycles(planted) / baseline_cycles(run);
  }
  for (const nlohmann::json& sample : run.at("samples")) {
    LaunchPair pair;
    pair.stage = "ab";
    pair.labels = sample.at("labels").get<std::string>();
    pair.times = sample.at("ns").get<std::vector<std::int64_t>>();
    pair.environment = key;
    pair_value(pair.labels, pair.times);  // refuses a pair that cannot be
    one.pairs.push_back(std::move(pair));
  }
}

Row row_of(const std::string& name, const StoredSeries& one, double put) {
  Row row{name, {}};
  const AbPlan plan = make_plan(0, kWindow, 0);
  for (const RuleCount& rule : judge_stored_pairs(one.pairs, plan, put, one.gain == 0)) {
    const double rate = rule.judged == 0 ? 0 : static_cast<double>(rule.landed) / rule.judged;
    row.figures.push_back(Figure{.rate = rate, .experiments = rule.judged});
  }
  return row;
}

std::vector<std::string> columns() {
  std::vector<std::string> names;
  for (const OtherRule& rule : other_rules()) names.emplace_back(rule.name);
  names.emplace_back("this project's looks");
  return names;
}

}  // namespace

std::vector<StoredSeries> read_stored_runs(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::kUsage, path + ": cannot be read; is it there?");
  std::map<std::string, StoredSeries> series;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    try {
      add_run(nlohmann::json::parse(line), series);
    } catch (const std::exception& error) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}:{}: no run as scripts/gpu/planted_effects.py writes it: {}", path,
                              number, error.what()));
    }
  }
  std::vector<StoredSeries> all;
  for (auto& [key, one] : series) {
    if (one.pairs.size() < kWindow) continue;
    if (one.gain != 0) one.pairs = exchanged(std::move(one.pairs));
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<Table> stored_sections(const std::vector<StoredSeries>& series) {
  Table equal{"Rules on measured pairs of equal arms: LANDs, all of them false (bar 0)",
              "Share of windows of 8 neighbouring pairs, each judged as it is and with its arms "
              "exchanged. Windows overlap: a description, not as many trials.",
              "workload, pairs",
              columns(),
              {}};
  Table gains{"Rules on measured pairs with a gain: LANDs (bar 0)",
              "The same windows; a gain put upon the times of equal arms, or a planted one.",
              "workload, gain",
              columns(),
              {}};
  for (const StoredSeries& one : series) {
    if (one.gain == 0) {
      equal.rows.push_back(row_of(fmt::format("{}, {}", one.name, one.pairs.size()), one, 0));
      for (const double put : {0.005, 0.01}) {
        gains.rows.push_back(
            row_of(fmt::format("{}, {:.1f} % put on", one.name, 100 * put), one, put));
      }
    } else {
      gains.rows.push_back(
          row_of(fmt::format("{}, {:.2f} % planted", one.name, 100 * one.gain), one, 0));
    }
  }
  return {equal, gains};
}

}  // namespace assay::simulation
