#include "gates/statistics/simulation/run_simulator.h"

#include <cmath>

#include "gates/statistics/pair_value.h"
#include "gates/statistics/simulation/amplitudes.h"

namespace assay::simulation {
namespace {

constexpr double kSegmentNs = 2e8;
constexpr int kBlockSegments = 4;

std::int64_t nanoseconds(double ln_time) {
  return std::llround(kSegmentNs * std::exp(ln_time));
}

}  // namespace

RunSimulator::RunSimulator(const Scenario& scenario, int planned_segments, Direction direction,
                           Random& random)
    : scenario_(scenario), random_(random), planned_(planned_segments) {
  direction_ = direction == Direction::kFalling ? -1.0 : random.sign();
  if (scenario.ar_sd > 0) ar_ = scenario.ar_sd * random.normal();
}

double RunSimulator::noise() {
  return scenario_.heavy_tails ? random_.student(static_cast<int>(kTailDf)) : random_.normal();
}

double RunSimulator::launch() {
  const double mode =
      scenario_.mode_gap > 0 && random_.uniform() < kModeShare ? std::log1p(scenario_.mode_gap) : 0;
  return mode + kProcessSd * scenario_.noise * noise();
}

double RunSimulator::segment() {
  double y = kSegmentSd * scenario_.noise * noise();
  if (scenario_.drift > 0) y += std::log1p(direction_ * scenario_.drift * in_run_ / planned_);
  if (scenario_.ramp > 0) {
    y -= direction_ * scenario_.ramp * std::exp(-in_run_ / (kRampTime * planned_));
  }
  if (scenario_.pair_ramp > 0) {
    y -= direction_ * scenario_.pair_ramp * std::exp(-in_pair_ / (kRampTime * kPairSegments));
  }
  if (scenario_.ar_sd > 0) {
    y += ar_;
    ar_ = kArRho * ar_ + std::sqrt(1 - kArRho * kArRho) * scenario_.ar_sd * random_.normal();
  }
  if (scenario_.slot > 0 && in_pair_ % kBlockSegments == 0) y += std::log1p(scenario_.slot);
  if (scenario_.spike_share > 0 && random_.uniform() < scenario_.spike_share) {
    y += std::log1p(kSpike);
  }
  ++in_run_;
  ++in_pair_;
  return y;
}

LaunchPair RunSimulator::pair(const std::string& stage, double gain) {
  LaunchPair pair{stage, random_.coin() ? "ABBABAAB" : "BAABABBA", {}, "host", false};
  const double a = launch();
  const double b = launch() - gain;
  begin_pair();
  pair.times.reserve(kPairSegments);
  for (const char arm : pair.labels) {
    pair.times.push_back(nanoseconds(segment() + (arm == 'A' ? a : b)));
  }
  return pair;
}

}  // namespace assay::simulation
