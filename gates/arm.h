// One arm of an experiment: a worker process with a model and a service selection loaded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gates/process/worker_client.h"

namespace assay {

// Whose process failed; it decides the outcome (the candidate's crash is a verdict, the baseline's
// an error of the instrument).
enum class ArmRole { kBaseline, kCandidate, kReference };
std::string to_string(ArmRole role);

// Thrown by an arm and caught by the gate runner only: turns a worker's fault into an outcome.
struct ArmFault {
  ArmRole role;
  WorkerFault fault;
};

class Arm {
 public:
  // Starts a fresh process and loads. Throws ArmFault.
  Arm(ArmRole role, const WorkerOptions& options, const LoadRequest& load);
  // Starts a fresh process; load() comes next.
  Arm(ArmRole role, const WorkerOptions& options) : role_(role), client_(options) {}
  void load(const LoadRequest& request);

  WorkReply work(const WorkRequest& request);
  PlanReply plan(const WorkRequest& request);
  KernelCasesReply kernel_cases(const KernelCasesRequest& request);

  const LoadReply& model() const { return model_; }
  std::int64_t last_request_ns() const { return client_.last_request_ns(); }
  ArmRole role() const { return role_; }
  int pid() const { return client_.pid(); }

 private:
  template <typename T>
  T take(WorkerResult<T> result) const;

  ArmRole role_;
  WorkerClient client_;
  LoadReply model_;
};

// The arms of a pair, started in this order. Throws ArmFault; of several, the first's.
//
// On a CPU they load at the same time, so that none finds the machine in a state that another left.
// On a GPU they load one after the other: two processes that allocate at once share out the memory
// between them, and equal arms of a small model then came out 1.5 % apart (sd of a pair) instead of
// 0.2 % (docs/statistics.md).
enum class Loading { kTogether, kInTurn };
struct ArmStart {
  ArmRole role;
  const LoadRequest* load;
};
std::vector<std::unique_ptr<Arm>> start_arms(const WorkerOptions& options,
                                             const std::vector<ArmStart>& starts, Loading loading);

}  // namespace assay
