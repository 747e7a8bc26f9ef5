// How many blocks of a kernel one multiprocessor of a GPU holds at a time, by its published limits.
//
// A multiprocessor has four parts. Registers are given to warps, in units of 256, out of the warp's
// own part; shared memory to blocks, in units of 128 bytes, with 1,024 bytes more for the system.
// (NVIDIA, CUDA C++ Programming Guide, table of technical specifications.) The driver's own count,
// cudaOccupancyMaxActiveBlocksPerMultiprocessor, must agree; this one needs no GPU and says which
// resource is the tight one.
#pragma once

#include <optional>
#include <string_view>

namespace assay {

// Of one multiprocessor; memory in bytes.
struct MultiprocessorLimits {
  int warps, blocks;
  int registers, parts, registers_per_thread;
  int shared_bytes, shared_of_block;  // `shared_of_block`: the most that a block may ask for
};
// Nothing for a compute capability (times ten) whose limits are not written down here.
std::optional<MultiprocessorLimits> multiprocessor_limits(int capability);

struct BlockNeeds {
  int threads = 0;
  int registers = 0;     // per thread
  int shared_bytes = 0;  // static and dynamic together
};

enum class TightResource { kWarps, kBlocks, kRegisters, kShared };
std::string_view to_string(TightResource resource);  // "warps", "blocks", "registers", "shared"

struct Occupancy {
  int blocks = 0;  // 0: the kernel cannot be launched so
  TightResource tight = TightResource::kWarps;
};
Occupancy occupancy(const MultiprocessorLimits& limits, const BlockNeeds& needs);

}  // namespace assay
