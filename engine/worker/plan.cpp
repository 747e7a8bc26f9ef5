// `plan`: the launches that the same `work` must make with a prompt that is not reused.
#include "engine/graph/plan.h"

#include "engine/generate/check_work.h"
#include "engine/worker/worker.h"

namespace assay {

PlanReply Worker::plan(const WorkRequest& request) {
  const LoadedModel& model = loaded("plan");
  check_work(request, model.model.hyper.vocab, model.backend->context(), model.backend->max_rows());
  LaunchPlan plan = plan_launches(model.graph, model.service,
                                  {.prompt = static_cast<int>(request.prompt.size()),
                                   .chunk = request.chunk,
                                   .most = model.backend->max_rows(),
                                   .all_rows = request.all_rows,
                                   .steps = request.steps});
  return {.prefill_counts = std::move(plan.prefill), .decode_counts = std::move(plan.decode)};
}

}  // namespace assay
