#include "kernels/selection.h"

namespace assay {

const ServiceRow* select_row(std::span<const ServiceRow> rows, const Problem& problem) {
  for (const ServiceRow& row : rows) {
    if (row.key.empty()) return &row;
    const int value = row.key == "nkv" ? problem.nkv : problem.t;
    if (value >= row.low && value <= row.high) return &row;
  }
  return nullptr;
}

}  // namespace assay
