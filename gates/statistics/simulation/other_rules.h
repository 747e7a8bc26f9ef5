// Rules by which other tools call a change faster, over the samples that judge() sees.
//
// Each reads launches: the mean time of an arm's four segments in one pair. None knows a bar, so
// they are compared with judge() at bar 0.
#pragma once

#include <string_view>
#include <vector>

#include "gates/statistics/judge.h"

namespace assay::simulation {

// The pairs with arms A and B exchanged.
std::vector<LaunchPair> exchanged(std::vector<LaunchPair> pairs);

// Mean time of each arm in each pair, in the order they ran, ns.
struct LaunchMeans {
  std::vector<double> a, b;
};
// Pairs of stage "ab" that were not dropped.
LaunchMeans launch_means(const std::vector<LaunchPair>& pairs);

struct OtherRule {
  std::string_view name;
  bool (*lands)(const LaunchMeans& launches);
};

const std::vector<OtherRule>& other_rules();

// Two-sided p of the Mann-Whitney U test, normal approximation with continuity and ties, as tools
// use it from nine values per arm on. 1 without any difference.
double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b);

// How often every rule, and judge() before confirmation, would have landed stored pairs.
struct RuleCount {
  std::string_view name;
  int landed = 0;
  int judged = 0;
};

// `pairs`: stored pairs in the order they ran; those of an A/A give false LANDs with `gain` 0, and
// misses with a gain that is put upon B here (a fraction). Every `plan.pairs_max` neighbouring
// pairs of one environment are judged as they are and, with `both_ways`, with the arms exchanged as
// well. The windows overlap: the counts are a description, not as many independent trials.
std::vector<RuleCount> judge_stored_pairs(const std::vector<LaunchPair>& pairs, const AbPlan& plan,
                                          double gain, bool both_ways = true);

}  // namespace assay::simulation
