// One core for the arms of a pair.
//
// A decode step waits for the host between launches, and cores differ in how soon they answer: two
// equal arms on two cores of one machine came out up to 5 % apart on a small model, on one core
// 0.2 % (docs/statistics.md). Only one arm works at a time, the others wait for a request, so they
// lose nothing by sharing.
#pragma once

#include <optional>
#include <vector>

namespace assay {

// Binds the main threads of these processes to the last core that this process may use. The core;
// nothing where the system refuses.
std::optional<int> share_core(const std::vector<int>& pids);

}  // namespace assay
