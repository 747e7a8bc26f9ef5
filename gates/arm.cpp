#include "gates/arm.h"

namespace assay {

std::string to_string(ArmRole role) {
  switch (role) {
    case ArmRole::kBaseline:
      return "baseline";
    case ArmRole::kCandidate:
      return "candidate";
    case ArmRole::kReference:
      return "reference";
  }
  return "?";
}

template <typename T>
T Arm::take(WorkerResult<T> result) const {
  if (const auto* fault = std::get_if<WorkerFault>(&result)) throw ArmFault{role_, *fault};
  return std::get<T>(std::move(result));
}

Arm::Arm(ArmRole role, const WorkerOptions& options, const LoadRequest& load)
    : role_(role), client_(options) {
  take(client_.hello());
  model_ = take(client_.load(load));
}

WorkReply Arm::work(const WorkRequest& request) {
  return take(client_.work(request));
}
PlanReply Arm::plan(const WorkRequest& request) {
  return take(client_.plan(request));
}
KernelCasesReply Arm::kernel_cases(const KernelCasesRequest& request) {
  return take(client_.kernel_cases(request));
}

}  // namespace assay
