#include "gates/provenance.h"

#include "engine/core/sha256.h"
#include "gates/environment.h"
#include "gates/judged_device.h"
#include "gates/prompts.h"
#include "gates/subject.h"

namespace assay {
namespace {

std::string prompt_sha256(const WorkRequest& request) {
  return sha256_hex(std::as_bytes(std::span(request.prompt)));
}

// What is not measured is null.
nlohmann::json gpu_facts(const HelloReply& device, const GpuMonitor* gpu) {
  nlohmann::json facts = {
      {"uuid", device.gpu_uuid}, {"driver", nullptr}, {"power_limit_w", nullptr}};
  if (gpu == nullptr) return facts;
  const GpuIdentity& identity = gpu->identity();
  facts["driver"] = identity.driver;
  if (identity.power_limit_w) facts["power_limit_w"] = *identity.power_limit_w;
  return facts;
}

}  // namespace

nlohmann::json provenance(const Manifest& manifest, const HelloReply& device,
                          const LoadReply& model, const Workload& workload) {
  const std::unique_ptr<GpuMonitor> gpu = monitor_of(device);
  nlohmann::json facts = {{"host", host_name()},
                          {"device", device.device_name},
                          {"device_key", device.device_key},
                          {"cores", device.cores},
                          {"kernel", kernel_release()},
                          {"version", device.version},
                          {"protocol", device.protocol},
                          {"tree", manifest.tree},
                          {"compiler", manifest.compiler},
                          {"flags", manifest.flags},
                          {"worker_sha256", manifest.worker_sha256},
                          {"model", model.name},
                          {"model_sha256", model.sha256},
                          {"prompt_sha256", prompt_sha256(workload_request(workload, model.vocab))},
                          {"threads", model.threads},
                          {"workload", describe(workload)},
                          {"telemetry", telemetry_now(gpu.get())}};
  if (!manifest.dirty.empty()) facts["dirty"] = manifest.dirty;
  if (backend_of_key(device.device_key) == BackendKind::kCuda && !manifest.cuda_compiler.empty()) {
    facts["cuda_compiler"] = manifest.cuda_compiler;
    facts["cuda_flags"] = manifest.cuda_flags;
  }
  if (backend_of_key(device.device_key) == BackendKind::kCuda)
    facts["gpu"] = gpu_facts(device, gpu.get());
  return facts;
}

}  // namespace assay
