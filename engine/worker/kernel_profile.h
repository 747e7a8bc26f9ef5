// Kernel records of a `work`, added up: per kernel and variant, per variant, and over time.
//
// Pure functions of the records, tested without a GPU.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/protocol/messages.h"
#include "engine/worker/kernel_trace.h"

namespace assay {

// What a variant's launcher answers to in the records' WatchedLaunch, by index.
struct ProfiledRegistry {
  std::vector<std::string> ids;      // "argmax.cuda.two_stage"
  std::vector<std::string> symbols;  // "argmax_cuda_two_stage"
};

// Fills what the records decide: kernels, variants (`traced`, `kernels`), passes and times. A
// kernel of ours that stands in no mechanism's namespace was enqueued behind a launcher's back, by
// the backend itself, and belongs to no variant.
ProfileReply add_up(const KernelRecords& records, const ProfiledRegistry& registry);

// Whether a kernel of this name may be a launcher's: it is the vendor's, lies in assay::cuda, which
// mechanisms share, or in a namespace of which a symbol is a point: "matvec_cuda_warp" of
// "matvec_q4k_cuda_warp_rows1" (types share a mechanism), "attention_decode_cuda_packed".
bool is_of_a_mechanism(std::string_view kernel, std::span<const std::string> symbols);

}  // namespace assay
