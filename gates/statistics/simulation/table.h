// What a section of the suite prints: rates, some of them held against a bound.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace assay::simulation {

enum class Bound { kShown, kAtMost, kAtLeast, kAbove };

// Experiments per cell at which bounds are meant as they are written.
inline constexpr int kFullExperiments = 10'000;

struct Figure {
  double rate = 0;
  int experiments = 0;
  Bound bound = Bound::kShown;
  double limit = 0;

  // Three binomial standard errors of `experiments` beyond those of the full suite: what a reduced
  // suite must grant to be as rarely wrong as the full one. 0 from kFullExperiments on.
  double allowance() const;
  bool is_broken() const;
};

struct Row {
  std::string name;
  std::vector<std::optional<Figure>> figures;  // one per column
};

struct Table {
  std::string title;
  std::string note;  // what is counted, one or two sentences
  std::string corner;
  std::vector<std::string> columns;
  std::vector<Row> rows;

  // One sentence per broken bound.
  std::vector<std::string> broken() const;
  // A figure with a bound carries its sign; a broken one says the limit.
  std::string markdown() const;
};

void to_json(nlohmann::json& json, const Table& table);

}  // namespace assay::simulation
