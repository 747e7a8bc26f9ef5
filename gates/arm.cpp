#include "gates/arm.h"

#include <future>

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

Arm::Arm(ArmRole role, const WorkerOptions& options, const LoadRequest& load) : Arm(role, options) {
  this->load(load);
}

void Arm::load(const LoadRequest& request) {
  take(client_.hello());
  model_ = take(client_.load(request));
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

// Both processes are children of this thread: a child is told when the thread that started it ends.
ArmPair start_together(const WorkerOptions& options, const ArmStart& first,
                       const ArmStart& second) {
  ArmPair pair{std::make_unique<Arm>(first.role, options),
               std::make_unique<Arm>(second.role, options)};
  std::future<void> loading = std::async(std::launch::async, [&] { pair.first->load(first.load); });
  std::exception_ptr fault;
  try {
    pair.second->load(second.load);
  } catch (...) {
    fault = std::current_exception();
  }
  loading.get();
  if (fault) std::rethrow_exception(fault);
  return pair;
}

}  // namespace assay
