#include "gates/statistics/variance_components.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/error.h"
#include "gates/statistics/pair_value.h"

namespace assay {
namespace {

using Arms = std::array<double, 3>;  // one value per process; the third unused with two arms

// A pair as its table of processes and blocks.
struct PairTable {
  std::array<Arms, 3> mean{};              // (block, process): mean ln time
  std::array<std::array<int, 3>, 3> at{};  // (block, process): position, 0 the outermost
  double within = 0;                       // sum of squares within blocks, drift taken out
};

std::size_t process_of(char label) {
  return label == 'A' ? 0 : label == 'B' ? 1 : 2;
}

PairTable table_of(const LaunchPair& pair, std::size_t arms) {
  PairTable table;
  for (std::size_t block = 0; block < arms; ++block) {
    const std::size_t first = block * 2 * arms;
    double squares = 0;
    double along = 0;
    double steep = 0;
    for (std::size_t place = 0; place < arms; ++place) {
      const std::size_t left = first + place;
      const std::size_t right = first + 2 * arms - 1 - place;
      const double early = std::log(static_cast<double>(pair.times[left]));
      const double late = std::log(static_cast<double>(pair.times[right]));
      const auto apart = static_cast<double>(right - left);
      squares += (early - late) * (early - late);
      along += (early - late) * apart;
      steep += apart * apart;
      const std::size_t process = process_of(pair.labels[left]);
      table.mean[block][process] = (early + late) / 2;
      table.at[block][process] = static_cast<int>(place);
    }
    table.within += squares - along * along / steep;
  }
  return table;
}

// Interaction of process and block: what is left beside both means. (block, process)
std::array<Arms, 3> interaction(const PairTable& table, std::size_t arms) {
  const double count = static_cast<double>(arms);
  Arms of_block{};
  Arms of_process{};
  double all = 0;
  for (std::size_t block = 0; block < arms; ++block) {
    for (std::size_t process = 0; process < arms; ++process) {
      of_block[block] += table.mean[block][process] / count;
      of_process[process] += table.mean[block][process] / count;
      all += table.mean[block][process] / count / count;
    }
  }
  std::array<Arms, 3> rest{};
  for (std::size_t block = 0; block < arms; ++block) {
    for (std::size_t process = 0; process < arms; ++process) {
      rest[block][process] =
          table.mean[block][process] - of_block[block] - of_process[process] + all;
    }
  }
  return rest;
}

// Mean square between blocks of a process.
double block_square(const std::vector<PairTable>& tables, std::size_t arms) {
  const double cells = static_cast<double>(arms * tables.size());
  Arms position{};  // its mean effect
  for (const PairTable& table : tables) {
    const auto rest = interaction(table, arms);
    for (std::size_t block = 0; block < arms; ++block) {
      for (std::size_t process = 0; process < arms; ++process) {
        position[static_cast<std::size_t>(table.at[block][process])] +=
            rest[block][process] / cells;
      }
    }
  }
  double squares = 0;
  for (const PairTable& table : tables) {
    const auto rest = interaction(table, arms);
    for (std::size_t block = 0; block < arms; ++block) {
      for (std::size_t process = 0; process < arms; ++process) {
        const double value =
            rest[block][process] - position[static_cast<std::size_t>(table.at[block][process])];
        squares += value * value;
      }
    }
  }
  const double free = static_cast<double>(arms - 1);
  return squares / (static_cast<double>(tables.size()) * free * free - free);
}

// Mean square between processes.
double process_square(const std::vector<PairTable>& tables, std::size_t arms) {
  const double count = static_cast<double>(arms);
  std::vector<Arms> deviations;
  Arms mean{};
  for (const PairTable& table : tables) {
    Arms of_process{};
    double all = 0;
    for (std::size_t process = 0; process < arms; ++process) {
      for (std::size_t block = 0; block < arms; ++block) {
        of_process[process] += table.mean[block][process] / count;
      }
      all += of_process[process] / count;
    }
    for (std::size_t process = 0; process < arms; ++process) {
      of_process[process] -= all;
      mean[process] += of_process[process] / static_cast<double>(tables.size());
    }
    deviations.push_back(of_process);
  }
  double squares = 0;
  for (const Arms& deviation : deviations) {
    for (std::size_t process = 0; process < arms; ++process) {
      squares += (deviation[process] - mean[process]) * (deviation[process] - mean[process]);
    }
  }
  return squares / ((count - 1) * static_cast<double>(tables.size() - 1));
}

std::vector<PairTable> tables_of(std::span<const LaunchPair> pairs, std::size_t& arms) {
  std::vector<PairTable> tables;
  for (const LaunchPair& pair : pairs) {
    if (pair.dropped) continue;
    const auto here = static_cast<std::size_t>(measure_pair(pair.labels, pair.times).arms);
    if (!tables.empty() && here != arms) {
      throw Error(
          ErrorKind::kCheckFound,
          fmt::format("variance components: a pair of {} arms among pairs of {}", here, arms));
    }
    arms = here;
    tables.push_back(table_of(pair, arms));
  }
  if (tables.size() < 3) {
    throw Error(ErrorKind::kCheckFound,
                fmt::format("variance components: {} pairs; at least 3 are needed", tables.size()));
  }
  return tables;
}

}  // namespace

VarianceComponents variance_components(std::span<const LaunchPair> pairs) {
  std::size_t arms = 0;
  const std::vector<PairTable> tables = tables_of(pairs, arms);
  const double blocks = static_cast<double>(arms);
  double within = 0;
  for (const PairTable& table : tables) within += table.within;
  const double segment = within / (2 * (blocks - 1) * blocks * static_cast<double>(tables.size()));
  const double slow = std::max(0.0, block_square(tables, arms) - segment / 2);
  const double process =
      std::max(0.0, process_square(tables, arms) - slow / blocks - segment / (2 * blocks));
  VarianceComponents components;
  components.pairs = static_cast<int>(tables.size());
  components.arms = static_cast<int>(arms);
  components.segment_sd = std::sqrt(segment);
  components.slow_sd = std::sqrt(slow);
  components.process_sd = std::sqrt(process);
  const double of_process = process + slow / blocks + segment / (2 * blocks);
  components.pair_sd = std::sqrt((arms == 2 ? 2 : 1.5) * of_process);
  return components;
}

}  // namespace assay
