// `hello`: who the worker is, and what it can run here.
#include <thread>

#include "engine/backend/cuda/cuda_device.h"
#include "engine/core/device.h"
#include "engine/worker/worker.h"
#include "kernels/registry.h"
#include "kernels/registry_cuda.h"

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
    if (offers(level, variant.info->needs)) reply.variants.emplace_back(variant.info->id);
  }
  const CudaDevice gpu = cuda_device_here();
  reply.gpu_name = gpu.name;
  reply.gpu_uuid = gpu.uuid;
  reply.gpu_absent = gpu.why;
  if (gpu.capability == 0) return reply;
  const DeviceLevel device = cuda_device(gpu.capability);
  reply.gpu_key = device_key(device);
  for (const CudaVariant& variant : cuda_registry()) {
    if (offers(device, variant.info->needs)) reply.variants.emplace_back(variant.info->id);
  }
  return reply;
}

}  // namespace assay
