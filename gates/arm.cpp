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

// All processes are children of this thread: a child is told when the thread that started it ends.
std::vector<std::unique_ptr<Arm>> start_arms(const WorkerOptions& options,
                                             const std::vector<ArmStart>& starts, Loading order) {
  std::vector<std::unique_ptr<Arm>> arms;
  for (const ArmStart& start : starts) arms.push_back(std::make_unique<Arm>(start.role, options));
  const std::launch when = order == Loading::kTogether ? std::launch::async : std::launch::deferred;
  std::vector<std::future<void>> loading;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    loading.push_back(std::async(when, [&, i] { arms[i]->load(*starts[i].load); }));
  }
  std::exception_ptr fault;
  for (std::future<void>& one : loading) {
    try {
      one.get();
    } catch (...) {
      if (!fault) fault = std::current_exception();
    }
  }
  if (fault) std::rethrow_exception(fault);
  return arms;
}

}  // namespace assay
