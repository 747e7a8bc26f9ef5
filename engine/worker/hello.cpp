// `hello`: who the worker is, and what it can run here.
#include <thread>

#include "engine/core/cpu.h"
#include "engine/worker/worker.h"
#include "kernels/registry.h"

namespace assay {

HelloReply Worker::hello() const {
  const CpuLevel level = cpu_level();
  HelloReply reply;
  reply.program = "assay-worker";
  reply.version = ASSAY_VERSION;
  reply.device_key = device_key(level);
  reply.device_name = cpu_model_name();
  reply.cores = threads_for(0);
  reply.source_root = ASSAY_BUILD_ROOT;
  for (const RegisteredVariant& variant : cpu_registry()) {
    if (variant.info->needs <= level) reply.variants.emplace_back(variant.info->id);
  }
  return reply;
}

}  // namespace assay
