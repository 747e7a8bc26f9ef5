// One run of a scenario on a simulated machine, segment by segment.
//
// The logarithm of a segment's time is a sum: what its process brought along (an offset, perhaps a
// slow mode), what the machine is doing at that moment (drift, ramps, AR(1)), where it stands in
// its block, and noise of its own. Time is counted in segments; processes and the moment are kept
// apart so that other designs than the interleaved pair can be laid over the same machine.
#pragma once

#include <string>

#include "gates/statistics/judge.h"
#include "gates/statistics/simulation/random.h"
#include "gates/statistics/simulation/scenario.h"

namespace assay::simulation {

// Which way drift and ramps go: by a coin per run, or always so that what runs later is faster.
enum class Direction { kCoin, kFalling };

class RunSimulator {
 public:
  // Drift and ramp span `planned_segments`, and go on in the same way after them.
  RunSimulator(const Scenario& scenario, int planned_segments, Direction direction, Random& random);

  // Offset in ln(time) of a fresh process.
  double launch();
  // The next segment is the first of a pair.
  void begin_pair() { in_pair_ = 0; }
  // ln(time) of the next segment, without its process and arm.
  double segment();

  // A launch pair with a coin for its order. `gain` = mean D.
  LaunchPair pair(const std::string& stage, double gain);

 private:
  double noise();  // sd 1

  const Scenario& scenario_;
  Random& random_;
  double direction_;
  double planned_;
  double ar_ = 0;
  int in_run_ = 0;
  int in_pair_ = 0;
};

}  // namespace assay::simulation
