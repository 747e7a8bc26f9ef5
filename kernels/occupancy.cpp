#include "kernels/occupancy.h"

#include <utility>

namespace assay {
namespace {

constexpr int kWarp = 32;              // threads
constexpr int kRegisterUnit = 256;     // registers of a warp
constexpr int kSharedUnit = 128;       // bytes of a block
constexpr int kSharedOfSystem = 1024;  // bytes of each block
constexpr int kMostThreads = 1024;     // of a block

constexpr int in_units(int amount, int unit) {
  return (amount + unit - 1) / unit * unit;
}

// Blocks that the registers of one multiprocessor hold.
int by_registers(const MultiprocessorLimits& limits, int warps, int registers) {
  if (registers > limits.registers_per_thread) return 0;
  const int of_warp = in_units(registers * kWarp, kRegisterUnit);
  if (of_warp == 0) return limits.blocks;
  // A launch is checked as if the block's warps filled all parts alike.
  if (of_warp * in_units(warps, limits.parts) > limits.registers) return 0;
  return limits.registers / limits.parts / of_warp * limits.parts / warps;
}

int by_shared(const MultiprocessorLimits& limits, int bytes) {
  if (bytes > limits.shared_of_block) return 0;
  return limits.shared_bytes / in_units(bytes + kSharedOfSystem, kSharedUnit);
}

}  // namespace

std::optional<MultiprocessorLimits> multiprocessor_limits(int capability) {
  if (capability != 90) return std::nullopt;
  return MultiprocessorLimits{.warps = 64,
                              .blocks = 32,
                              .registers = 65536,
                              .parts = 4,
                              .registers_per_thread = 255,
                              .shared_bytes = 233472,
                              .shared_of_block = 232448};
}

std::string_view to_string(TightResource resource) {
  switch (resource) {
    case TightResource::kWarps:
      return "warps";
    case TightResource::kBlocks:
      return "blocks";
    case TightResource::kRegisters:
      return "registers";
    case TightResource::kShared:
      return "shared";
  }
  return "";
}

Occupancy occupancy(const MultiprocessorLimits& limits, const BlockNeeds& needs) {
  if (needs.threads < 1 || needs.threads > kMostThreads) return {};
  const int warps = in_units(needs.threads, kWarp) / kWarp;
  Occupancy result{limits.warps / warps, TightResource::kWarps};
  for (const auto& [blocks, resource] :
       {std::pair{limits.blocks, TightResource::kBlocks},
        std::pair{by_registers(limits, warps, needs.registers), TightResource::kRegisters},
        std::pair{by_shared(limits, needs.shared_bytes), TightResource::kShared}}) {
    if (blocks < result.blocks) result = {blocks, resource};
  }
  return result;
}

}  // namespace assay
