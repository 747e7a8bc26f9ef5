// The worker behind assay-worker: one line in, one line out.
//
//   start --hello, health, kernel_cases, resources--> start
//   start --load--> loaded --work, plan, profile, tokenize, detokenize, ...--> loaded
//
// Invariants:
//   1. Every line gets exactly one reply; a request that fails gets an error reply and changes
//      nothing, but for `load`: a failed one leaves no model.
//   2. Nothing but replies is written to the protocol's stream.
//   3. A `work` request is served alike whether it is timed or not.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/core/thread_pool.h"
#include "engine/protocol/messages.h"
#include "engine/worker/kernel_trace.h"
#include "engine/worker/loaded_model.h"
#include "engine/worker/progress_counter.h"

namespace assay {

class Worker {
 public:
  explicit Worker(ProgressCounter& progress) : progress_(progress) {}

  // The reply to a line, without a newline. Never throws on bad input.
  std::string answer(std::string_view line);
  // The reply to a line that was too long to be read.
  std::string refuse_long_line();

 private:
  nlohmann::json dispatch(const std::string& name, const nlohmann::json& request);
  const LoadedModel& loaded(const std::string& request) const;  // Error(kUsage) before `load`

  // One file each.
  HelloReply hello() const;
  LoadReply load(const LoadRequest& request);
  TokenizeReply tokenize(const TokenizeRequest& request);
  DetokenizeReply detokenize(const DetokenizeRequest& request);
  WorkReply work(const WorkRequest& request);
  PlanReply plan(const WorkRequest& request);
  ProfileReply profile(const WorkRequest& request);
  KernelCasesReply kernel_cases(const KernelCasesRequest& request);
  ResourcesReply resources(const ResourcesRequest& request);
  HealthReply health() const;

  ProgressCounter& progress_;
  std::unique_ptr<KernelTrace> trace_;  // from the first load that asked for it
  bool profiles_ = false;               // the model's load asked for it
  std::unique_ptr<LoadedModel> model_;
  std::uint64_t served_ = 0;
};

// Threads for a request of `asked` (0: one per core). Error(kUsage) outside 0..256.
int threads_for(int asked);

}  // namespace assay
