// Which variant serves a problem: a pure function of the problem and the rows of a service map.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace assay {

// One row of an op's service: the variant that runs where `key` lies in [low, high].
struct ServiceRow {
  std::string key;  // "" (always), "nkv" (cached positions read) or "t" (rows of the batch)
  int low = 1;
  int high = std::numeric_limits<int>::max();
  std::string variant;
  bool operator==(const ServiceRow&) const = default;
};

// op -> rows, resolved for one device. Rows tile [1, max] without gap or overlap.
using ServiceSelection = std::map<std::string, std::vector<ServiceRow>>;

struct Problem {
  int t = 1;
  int nkv = 1;
};

// The row that serves the problem; null when none does.
const ServiceRow* select_row(std::span<const ServiceRow> rows, const Problem& problem);

// The same rows with our own GEMM (matmul_*.cuda.mma) where the vendor's would serve: for a machine
// that lacks the vendor's library.
ServiceSelection with_own_gemm(ServiceSelection service);

}  // namespace assay
