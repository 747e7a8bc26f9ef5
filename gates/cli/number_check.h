// Numbers on the command line: read strictly, and refused with the value and the range that the
// flag really has. CLI11's own checks print the bounds of a double, and its lists drop empty
// entries.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

// Bounds that several commands share.
inline constexpr int kMostPositions = 1 << 20;  // no cache is longer
inline constexpr int kMostThreads = 256;        // of a worker

// For ->transform(): digits only, within [low, high]. Zeros in front are taken away, as in the
// numbers of records: CLI11 would read 0012 as 10.
CLI::Validator whole_number(int low, int high);
// For ->check(): a decimal number, as 0.5 or 1e-3, from `low`, from 0, or above 0, to `most`.
CLI::Validator number_within(double low, double most);
CLI::Validator number_from_zero(double most);
CLI::Validator positive_number(double most);

// "1,2,3" as numbers of at least 0. Error(kUsage) that names `flag` and the entry.
std::vector<std::int32_t> read_number_list(const std::string& flag, const std::string& text);

}  // namespace assay
