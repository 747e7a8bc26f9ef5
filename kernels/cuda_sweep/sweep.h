// The sweep of CUDA variants at the shapes of real models: what its parts share, without CUDA.
//
// Conformance runs the CPU's small cases, whose operands and fp64 values the host makes. Here both
// are made on the device, so that every length and the layers of 7 B and 14 B models can be asked
// for in minutes; only tallies come back. Read in the order of the data: draw.cuh, format.cuh,
// exact_linear.cuh, exact_attention.cuh, tally.cuh, then a part such as decode_part.cu.
// self_check.cu holds all of it against the host's references first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry_cuda.h"

namespace assay::sweep {

struct Options {
  std::string only;            // variants whose id begins so; empty: all
  std::string parts = "abcd";  // a: decode, b: prefill attention, c: matvec, d: matmul
  bool quick = false;          // few cases of every part: that the sweep itself works
  bool asks_for(char part) const { return parts.find(part) != std::string::npos; }
};

// What one variant did in one part.
struct Line {
  std::string variant;
  std::string part;
  std::string absent;           // why it could not be run here; empty: it was
  std::string error;            // what a launch threw
  std::uint64_t cases = 0;      // launches with arguments of their own
  std::uint64_t values = 0;     // outputs held against fp64
  std::uint64_t beyond = 0;     // of them, outside their budget
  std::uint64_t different = 0;  // words that differ where bits must be equal
  std::uint64_t damaged = 0;    // words written outside the output
  std::uint64_t uncounted = 0;  // launches that the variant's counter missed
  double worst = 0;             // |error| / budget
  std::string where;            // of the worst
  double seconds = 0;
  bool failed() const {
    return !error.empty() || beyond + different + damaged + uncounted != 0 ||
           (absent.empty() && values == 0);
  }
};

// Receives each line as soon as it is known.
using Report = std::function<void(const Line&)>;

// Variants that the parts run: of ops that begin with `op`, that --only wants and this GPU can run.
std::vector<const CudaVariant*> chosen(const Options& options, std::string_view op);

// Device references and draws against the host's, on small shapes. One line each; Line::worst is in
// units of the tolerance.
void check_references(const Report& report);

void sweep_decode(const Options& options, const Report& report);
void sweep_prefill(const Options& options, const Report& report);
void sweep_matvec(const Options& options, const Report& report);
void sweep_matmul(const Options& options, const Report& report);

}  // namespace assay::sweep
