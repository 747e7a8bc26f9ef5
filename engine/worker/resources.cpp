// `resources`: what the kernels of a CUDA variant take of a multiprocessor.
//
// The op's generated cases are launched, and captured, so that the answer holds the configurations
// that launchers choose, a library's kernels among them. Blocks per
// multiprocessor are counted twice, by the driver and by our own table, which must agree.
#include <fmt/format.h>

#include "engine/backend/cuda/cuda_device.h"
#include "engine/backend/cuda/cuda_here.h"
#include "engine/core/error.h"
#include "engine/worker/worker.h"
#include "kernels/cuda_stage.h"
#include "kernels/occupancy.h"
#include "kernels/reference.h"

namespace assay {
namespace {

KernelResources resources_of(const CudaKernelUse& use, int capability) {
  KernelResources resources{.kernel = use.kernel,
                            .threads = use.threads,
                            .registers = use.registers,
                            .local_bytes = use.local_bytes,
                            .static_shared = use.static_shared,
                            .dynamic_shared = use.dynamic_shared,
                            .blocks_per_sm = use.blocks_per_sm,
                            .blocks_computed = -1,
                            .tight = ""};
  const auto limits = multiprocessor_limits(capability);
  if (!limits) return resources;
  const Occupancy computed =
      occupancy(*limits, {use.threads, use.registers, use.static_shared + use.dynamic_shared});
  resources.blocks_computed = computed.blocks;
  resources.tight = to_string(computed.tight);
  return resources;
}

// The id taken apart, which must be of a CUDA variant.
VariantName cuda_name(const std::string& id) {
  const auto name = parse_variant_id(id);
  if (name && name->backend == to_string(BackendKind::kCuda)) return *name;
  throw Error(ErrorKind::kUsage,
              fmt::format("resources: '{}' is no variant of a GPU; `assay levers` lists them", id));
}

}  // namespace

ResourcesReply Worker::resources(const ResourcesRequest& request) {
  const VariantName name = cuda_name(request.variant);
  const CudaDevice gpu = cuda_device_here();
  if (gpu.capability == 0) throw Error(ErrorKind::kEnvironment, "resources: " + gpu.why);
  const VariantInfo& info =
      runnable_variant("resources", name.op, request.variant, cuda_here(gpu.capability));
  CudaStage stage(*find_cuda_variant(info.id));
  stage.set_capturing(true);
  ThreadPool pool(1);
  Launch launch{pool, &stage};
  const OpReference& reference = *find_reference(name.op);
  for (CaseSpec spec : reference.cases()) {
    spec.reads = info.reads;
    reference.bind(spec)->launch(stage.function(), launch);
    progress_.bump();
  }
  ResourcesReply reply;
  for (const CudaKernelUse& use : stage.captured()) {
    reply.kernels.push_back(resources_of(use, gpu.capability));
  }
  return reply;
}

}  // namespace assay
