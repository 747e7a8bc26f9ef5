// `load`: a model file, the embedded bytes or a synthetic model, with a service map, ready to work.
//
// The old model goes first, since two may not fit; a load that fails leaves none. Order: what is
// cheap and likely to be wrong comes before what takes memory and time.
#include <fmt/format.h>
#include <algorithm>
#include <cstdio>
#include <thread>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/cuda_device.h"
#include "engine/core/device.h"
#include "engine/core/error.h"
#include "engine/embedded/embedded_model.h"
#include "engine/worker/synth_source.h"
#include "engine/worker/worker.h"

namespace assay {
namespace {

constexpr int kUsualContext = 4096;  // positions, when a request leaves the choice

// A GPU generates a synthetic model's matrices by itself.
std::unique_ptr<LoadedModel> open_model(const LoadRequest& request, int threads,
                                        const Progress& progress) {
  const std::string& model = request.model;
  const ServiceSelection& service = request.service;
  if (model.empty()) {
    throw Error(ErrorKind::kUsage,
                "load: model is missing; name a GGUF file, 'embedded', or 'synth:SHAPE-QUANT'");
  }
  SynthImage image;
  if (model == "embedded") {
    return std::make_unique<LoadedModel>(
        std::move(image), GgufFile::from_memory(embedded_model(), "embedded"), service);
  }
  if (!model.starts_with(kSynthPrefix)) {
    return std::make_unique<LoadedModel>(std::move(image), GgufFile::open(model), service);
  }
  const SynthModel synth = parse_synth_name(model);
  const bool on_gpu = request.backend == "cuda";
  image =
      SynthImage(synth, threads, progress, on_gpu ? SynthContent::kVectors : SynthContent::kWhole);
  GgufFile file = GgufFile::from_memory(image.bytes(), name_of(synth));
  return std::make_unique<LoadedModel>(std::move(image), std::move(file), service);
}

int context_for(const LoadRequest& request, const HyperParameters& hyper) {
  if (request.context == 0) return std::min(hyper.context, kUsualContext);
  if (request.context > 0 && request.context <= hyper.context) return request.context;
  throw Error(ErrorKind::kUsage,
              fmt::format("load: context is {}; this model has 1..{} positions (0: its own, at "
                          "most {})",
                          request.context, hyper.context, kUsualContext));
}

std::optional<Tokenizer> read_tokenizer(const LoadedModel& loaded) {
  std::optional<Tokenizer> tokenizer = Tokenizer::from_gguf(loaded.file);
  if (tokenizer && tokenizer->vocab() > loaded.model.hyper.vocab) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: the vocabulary has {} tokens, the embedding has rows for {}",
                            loaded.file.name(), tokenizer->vocab(), loaded.model.hyper.vocab));
  }
  return tokenizer;
}

// What keeps `profile` from being served, before anything else is tried.
void check_profile(const LoadRequest& request) {
  if (request.backend != "cuda") {
    throw Error(ErrorKind::kUsage,
                fmt::format("load: profile traces the kernels of a GPU, and backend is '{}'; give "
                            "backend 'cuda'",
                            request.backend));
  }
  const CudaDevice gpu = cuda_device_here();
  if (gpu.capability == 0) throw Error(ErrorKind::kEnvironment, "load: profile: " + gpu.why);
}

// The backend, after its memory plan was printed and found to fit.
std::unique_ptr<Backend> make_backend(const LoadRequest& request, const LoadedModel& next,
                                      int context, int threads,
                                      std::atomic<std::uint64_t>& progress) {
  const char* name = request.model.c_str();
  if (request.backend == "cuda") {
    const CudaMemoryPlan memory = plan_cuda_memory(next.model, next.graph, context);
    std::fprintf(stderr, "load %s: %s\n", name, to_string(memory).c_str());
    return make_cuda_backend(
        next.model, next.graph, next.service,
        {.context = context, .graphs = request.graphs, .source = synth_source(request.model)},
        progress);
  }
  const MemoryPlan memory = plan_memory(next.model, context, kMaxChunk);
  std::fprintf(stderr, "load %s: %s\n", name, to_string(memory).c_str());
  check_memory(memory);
  return std::make_unique<CpuBackend>(next.model, next.graph, next.service,
                                      CpuBackendOptions{.context = context, .threads = threads},
                                      progress);
}

LoadReply describe(const LoadedModel& loaded) {
  const HyperParameters& hyper = loaded.model.hyper;
  LoadReply reply;
  reply.name = hyper.name;
  reply.architecture = hyper.architecture;
  reply.sha256 = loaded.image.bytes().empty() ? loaded.file.sha256() : loaded.image.identity();
  reply.layers = hyper.layers;
  reply.embedding = hyper.embedding;
  reply.heads = hyper.heads;
  reply.kv_heads = hyper.kv_heads;
  reply.head_dim = hyper.head_dim;
  reply.feed_forward = hyper.feed_forward;
  reply.vocab = hyper.vocab;
  reply.context = loaded.backend->context();
  reply.threads = loaded.backend->threads();
  reply.has_vocabulary = loaded.tokenizer.has_value();
  if (loaded.tokenizer) {
    reply.bos = loaded.tokenizer->bos();
    reply.eos = loaded.tokenizer->eos();
    reply.ends = loaded.tokenizer->ends();
  }
  const MemoryPlan memory = plan_memory(loaded.model, loaded.backend->context(), 1);
  reply.weight_bytes = memory.weights;
  reply.kv_bytes = memory.kv;
  return reply;
}

}  // namespace

int threads_for(int asked) {
  if (asked < 0 || asked > 256) {
    throw Error(ErrorKind::kUsage,
                fmt::format("load: threads is {}; expected 0 (one per core) or 1..256", asked));
  }
  return asked > 0 ? asked : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

LoadReply Worker::load(const LoadRequest& asked) {
  model_.reset();
  LoadRequest request = asked;
  if (!parse_backend(request.backend)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("load: backend '{}' is not known; known: cpu, cuda", request.backend));
  }
  const bool own_gemm = request.own_gemm && request.backend == "cuda" && !cuda_vendor_gemm();
  if (own_gemm) request.service = with_own_gemm(request.service);
  const int threads = threads_for(request.threads);
  profiles_ = request.profile;
  if (request.profile) {
    check_profile(request);
    if (!trace_) trace_ = KernelTrace::open();
    trace_->start();  // what is captured from here on is known to it
  }
  auto next = open_model(request, threads, [this] { progress_.bump(); });
  progress_.bump();
  const HyperParameters& hyper = next->model.hyper;
  const int context = context_for(request, hyper);
  next->backend = make_backend(request, *next, context, threads, progress_.counter());
  progress_.bump();
  next->session = std::make_unique<Session>(next->model, *next->backend);
  next->tokenizer = read_tokenizer(*next);
  progress_.bump();
  LoadReply reply = describe(*next);
  reply.own_gemm = own_gemm;
  if (request.profile) trace_->stop();
  model_ = std::move(next);
  return reply;
}

}  // namespace assay
