#include "gates/cli/engine_session.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/protocol/manifest.h"
#include "experiments/service_map.h"
#include "gates/cli/number_check.h"
#include "gates/cli/text_check.h"
#include "gates/cli/workspace.h"
#include "gates/judged_device.h"
#include "gates/subject.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string model_file(const std::string& model) {
  if (!is_model_file(model)) return model;
  if (!fs::exists(model)) {
    throw Error(ErrorKind::kUsage,
                model +
                    ": no such file; -m takes a GGUF file, `embedded` for the model that ships, or "
                    "`synth:SHAPE-QUANT` for a synthetic one");
  }
  return fs::absolute(model).string();
}

}  // namespace

std::string service_file_for(const CommonOptions& common) {
  constexpr const char* kMap = "/experiments/in_service.yaml";
  if (const auto workspace = look_for_workspace(common)) return *workspace + kMap;
  const std::string file = read_manifest(common.worker).source_root + kMap;
  if (fs::exists(file)) return file;
  throw Error(
      ErrorKind::kUsage,
      fmt::format("no workspace here, and the sources that {} was built from have no {} any "
                  "more: name a workspace with --workspace DIR",
                  common.worker, file));
}

ServiceSelection selection_for(const std::string& service_file, const std::string& device_key) {
  return selection(resolve(read_service_map(service_file), device_key));
}

std::string digest_of(const ServiceSelection& selection) {
  const nlohmann::json json = selection;
  return sha256_hex(json.dump()).substr(0, 12);
}

void add_engine_options(CLI::App& app, EngineChoice& choice) {
  app.add_option("-m,--model", choice.model, "a GGUF file, embedded, or synth:SHAPE-QUANT")
      ->type_name("MODEL")
      ->required();
  app.add_option("--threads", choice.threads, "threads (default: one per core)")
      ->type_name("N")
      ->transform(whole_number(0, kMostThreads));
  app.add_option("--backend", choice.backend, "cpu (default), or cuda in a build for it")
      ->type_name("B");
  app.add_option("--context", choice.context,
                 "positions of the cache (default 0: the model's own, at most 4096)")
      ->type_name("N")
      ->transform(whole_number(0, kMostPositions));
  add_no_graph(app, choice);
}

CLI::Option* add_no_graph(CLI::App& app, EngineChoice& choice) {
  return app.add_flag_callback(
      "--no-graph", [&choice] { choice.graphs = false; },
      "cuda: launch the kernels of a decode step one by one, not as a captured graph; the same "
      "bits");
}

std::string positions_of(const EngineChoice& choice, int context) {
  if (choice.context > 0) {
    return fmt::format("{} is loaded with --context {}: ask for less, or give a larger one",
                       choice.model, context);
  }
  return fmt::format(
      "{} is loaded with {}, the default: ask for less, or give --context, at most "
      "what the model has",
      choice.model, context);
}

void check_positions(const std::string& command, int needed, const EngineChoice& choice,
                     const LoadReply* model) {
  const int context = model != nullptr ? model->context : choice.context;
  if (needed <= context || (model == nullptr && context == 0)) return;
  throw Error(ErrorKind::kUsage, fmt::format("{}: this needs {} positions, and {}", command, needed,
                                             positions_of(choice, context)));
}

// The worker reads the model before it looks for a device. Nothing is timed or kept of it.
void refuse_bad_load_without_gpu(LoadRequest request, const std::string& service_file,
                                 const HelloReply& device, WorkerClient& worker) {
  if (request.backend != "cuda" || !device.gpu_key.empty()) return;
  request.service = selection_for(service_file, "cuda");
  request.profile = false;
  const WorkerResult<LoadReply> loaded = worker.load(request);
  const auto* fault = std::get_if<WorkerFault>(&loaded);
  if (fault == nullptr || fault->kind != FaultKind::kRefused) return;
  if (fault->error_kind == ErrorKind::kUsage) throw_fault(*fault);
}

void refuse_nonfinite(std::uint64_t nonfinite) {
  if (nonfinite == 0) return;
  throw Error(ErrorKind::kInternal,
              fmt::format("{} activations, cache values or logits were not finite: the model file "
                          "or a kernel is wrong",
                          nonfinite));
}

EngineSession open_engine(const EngineChoice& choice, const CommonOptions& common) {
  const std::optional<BackendKind> backend = parse_backend(choice.backend);
  if (!backend) {
    throw Error(ErrorKind::kUsage,
                "--backend " + choice.backend + ": no such backend: write cpu or cuda");
  }
  if (!choice.graphs && *backend == BackendKind::kCpu) {
    throw Error(ErrorKind::kUsage, "--no-graph says nothing to --backend cpu: leave it out");
  }
  refuse_name_not_utf8("--model", choice.model);
  const std::string model = model_file(choice.model);
  const std::string service_file = service_file_for(common);
  const auto start = std::chrono::steady_clock::now();
  WorkerClient worker({.path = common.worker});
  LoadRequest request{.model = model,
                      .backend = choice.backend,
                      .context = choice.context,
                      .threads = choice.threads,
                      .graphs = choice.graphs,
                      .profile = choice.profile,
                      .own_gemm = *backend == BackendKind::kCuda};
  HelloReply device = value_or_throw(worker.hello());
  refuse_bad_load_without_gpu(request, service_file, device, worker);
  device = as_device(std::move(device), *backend);
  ServiceSelection service = selection_for(service_file, device.device_key);
  for (const auto& [op, variant] : choice.overrides) {
    ServiceRow row;
    row.variant = variant;
    service[op] = {row};
  }
  request.service = service;
  LoadReply loaded = value_or_throw(worker.load(request));
  if (loaded.own_gemm) {
    service = with_own_gemm(service);
    fmt::print(stderr,
               "assay: no libcublasLt could be loaded: matmul_*.cuda.mma serve prompts in place of "
               "matmul_*.cuda.cublaslt\n");
  }
  const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - start;
  std::unique_ptr<GpuMonitor> gpu = monitor_of(device);
  return {.worker = std::move(worker),
          .device = std::move(device),
          .model = std::move(loaded),
          .request = std::move(request),
          .service_file = service_file,
          .service_digest = digest_of(service),
          .load_ns = passed.count(),
          .gpu = std::move(gpu)};
}

}  // namespace assay
