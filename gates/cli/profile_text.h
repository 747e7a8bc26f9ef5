// What `assay profile` says of a worker's ProfileReply: pure functions, tested without a GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/protocol/messages.h"
#include "gates/device_ceilings.h"

namespace assay {

struct ProfileView {
  const ProfileReply& reply;
  std::string device;              // its name
  const DeviceCeilings* ceilings;  // null: not measured
  int steps = 1;                   // that the work consists of: decode steps, or 1 for a prompt
  std::string step = "step";       // what one is called
};

// The table, header first, kernels by falling time. Bytes or FLOP, rate and share of the ceiling
// are of the variant as a whole, all its kernels together, and stand in the row of its longest
// kernel.
std::vector<std::vector<std::string>> profile_cells(const ProfileView& view);
// Below it: ceilings, times, the predicted step.
std::string profile_lines(const ProfileView& view);

// The time of one step in which every op ran at its ceiling and each kernel cost a launch, in
// seconds; 0 without ceilings.
double predicted_step_s(const ProfileView& view);

// "matvec_cuda_warp::rows<(DType)12, 1>": without return type, arguments and our own namespace, at
// most `most` characters, the middle of a longer one left out.
std::string short_kernel_name(std::string_view kernel, std::size_t most = 48);

}  // namespace assay
