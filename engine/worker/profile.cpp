// `profile`: a `work` twice, the second time with every kernel of the GPU recorded.
//
// The first answers how long the work takes untraced, and leaves a decode request's prompt in the
// cache, so that the records are of the steps alone.
#include <map>

#include "engine/core/error.h"
#include "engine/graph/plan.h"
#include "engine/worker/kernel_profile.h"
#include "engine/worker/op_costs.h"
#include "engine/worker/worker.h"
#include "kernels/registry_cuda.h"

namespace assay {
namespace {

ProfiledRegistry profiled_registry() {
  ProfiledRegistry registry;
  for (const CudaVariant& variant : cuda_registry()) {
    registry.ids.emplace_back(variant.info->id);
    registry.symbols.emplace_back(variant.info->symbol);
  }
  return registry;
}

WorkReply traced(Session& session, const WorkRequest& request, KernelTrace& trace,
                 KernelRecords& records) {
  trace.start();
  try {
    WorkReply reply = session.work(request);
    records = trace.stop();
    return reply;
  } catch (...) {
    trace.stop();
    throw;
  }
}

// The launches that the map plans, and what they cost, beside what was seen.
void add_plan(const LoadedModel& model, const WorkRequest& request, ProfileReply& reply) {
  const WorkShape shape{.prompt = static_cast<int>(request.prompt.size()),
                        .chunk = request.chunk,
                        .most = model.backend->max_rows(),
                        .all_rows = request.all_rows,
                        .steps = request.steps};
  const bool prompt = !reply.traced.prefill_reused;
  std::map<std::string, ProfiledVariant> variants;
  for (ProfiledVariant& seen : reply.variants) variants[seen.variant] = seen;
  const auto at = [&](const std::string& id) -> ProfiledVariant& {
    ProfiledVariant& variant = variants[id];
    variant.variant = id;
    return variant;
  };
  const LaunchPlan plan = plan_launches(model.graph, model.service, shape);
  for (const auto& [id, count] : plan.decode) at(id).planned += count;
  if (prompt) {
    for (const auto& [id, count] : plan.prefill) at(id).planned += count;
  }
  for (const auto& [id, cost] : costs_of(model.model, model.graph, model.service, shape, prompt)) {
    at(id).bytes = cost.bytes;
    at(id).flops = cost.flops;
  }
  reply.variants.clear();
  for (auto& [id, variant] : variants) reply.variants.push_back(std::move(variant));
}

}  // namespace

ProfileReply Worker::profile(const WorkRequest& request) {
  const LoadedModel& model = loaded("profile");
  if (!profiles_) {
    throw Error(ErrorKind::kUsage,
                "profile: the model was loaded without it; send `load` with \"profile\": true");
  }
  WorkReply untraced = model.session->work(request);
  KernelRecords records;
  WorkReply traced_reply = traced(*model.session, request, *trace_, records);
  ProfileReply reply = add_up(records, profiled_registry());
  reply.untraced = std::move(untraced);
  reply.traced = std::move(traced_reply);
  add_plan(model, request, reply);
  return reply;
}

}  // namespace assay
