// How large each disturbance of the simulation is, by name. Fixed together with the seeds, before
// the code that uses them; a result that does not please is reported, never tuned away.
//
// All are shares of a segment's time, added to its logarithm. Spreads of one segment and one
// process are chosen so that a pair's value has a standard deviation of 0.21 %, what interleaved
// living processes are expected to reach on a GPU: D is a difference of two means over four
// segments, so its variance is 2 process^2 + segment^2 / 2.
#pragma once

namespace assay::simulation {

inline constexpr double kSegmentSd = 0.0022;  // independent, each segment
inline constexpr double kProcessSd = 0.0010;  // one per process, all its segments

inline constexpr double kDrift = 0.10;  // linear, from the first planned slot to the last

inline constexpr double kRamp = 0.05;      // exponential, towards a new clock
inline constexpr double kRampTime = 0.25;  // its time constant, as a share of the run (or pair)

inline constexpr double kArRho = 0.9;   // AR(1), from one segment to the next
inline constexpr double kArSd = 0.007;  // stationary; level shifts of 0.5 to 1 % were seen

inline constexpr double kSlot = 0.05;  // the first segment of each block of four is slower

inline constexpr double kModeGap = 0.02;   // a launch is in its slow mode ...
inline constexpr double kModeShare = 0.5;  // ... in this share of launches

inline constexpr double kTailDf = 3;  // Student t in place of normal, at the same sd

inline constexpr double kSpike = 0.20;       // one segment is slower by this ...
inline constexpr double kSpikeShare = 0.02;  // ... in this share of segments

// Offset between the arms that a whole run keeps, as a multiple of the scenario's pair sd.
inline constexpr double kDayOffset = 1.0;

}  // namespace assay::simulation
