#include "engine/replay/subject.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/service_of_level.h"
#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/cuda_device.h"
#include "engine/core/mix64.h"
#include "engine/embedded/embedded_model.h"
#include "engine/graph/fuse.h"
#include "engine/quantize/quantize_file.h"
#include "engine/worker/synth_source.h"

namespace assay::replay {
namespace {

SynthImage image_of(const std::string& name, int threads) {
  if (!name.starts_with(kSynthPrefix)) return {};
  return {parse_synth_name(name), threads, [] {}, SynthContent::kVectors};
}

GgufFile open(const std::string& name, const SynthImage& image) {
  if (name == "embedded") return GgufFile::from_memory(embedded_model(), name);
  if (!image.bytes().empty()) return GgufFile::from_memory(image.bytes(), name);
  return GgufFile::open(name);
}

Graph graph_of(const Model& model, const ServiceSelection& service) {
  return fused(build_graph(model, forms_of(service)), compounds_of(service));
}

}  // namespace

Subject::Subject(const std::string& name, int threads)
    : name_(name),
      image_(image_of(name, threads)),
      file_(open(name, image_)),
      model_(read_model(file_)) {}

Subject::Subject(std::string name, GgufFile file)
    : name_(std::move(name)), file_(std::move(file)), model_(read_model(file_)) {}

std::unique_ptr<Subject> Subject::dequantised(const Subject& from, int threads) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      fmt::format("assay-cuda-replay-{}.gguf", static_cast<long>(::getpid()));
  quantize_file(from.file_, path,
                {.mixture = *find_mixture("f32"),
                 .layers = from.hyper().layers,
                 .threads = threads,
                 .done = {},
                 .stop = {}});
  try {
    GgufFile file = GgufFile::open(path);
    std::filesystem::remove(path);  // its bytes stay for as long as they are mapped
    return std::unique_ptr<Subject>(new Subject(from.name_ + " in f32", std::move(file)));
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    throw;
  }
}

std::unique_ptr<Backend> Subject::on_cuda(const ServiceSelection& service, int context,
                                          bool graphs) {
  const ServiceSelection here = cuda_vendor_gemm() ? service : with_own_gemm(service);
  return make_cuda_backend(model_, graph_of(model_, here), here,
                           {.context = context, .graphs = graphs, .source = synth_source(name_)},
                           progress_);
}

std::unique_ptr<Backend> Subject::on_cpu(int context, int threads) {
  const ServiceSelection service = service_of_level(cpu_level());
  return std::make_unique<CpuBackend>(model_, graph_of(model_, service), service,
                                      CpuBackendOptions{.context = context, .threads = threads},
                                      progress_);
}

std::vector<std::int32_t> drawn_tokens(int count, int vocab, std::uint64_t seed) {
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < count; ++i) {
    seed += kMix64Step;
    tokens.push_back(static_cast<std::int32_t>(mix64(seed) % static_cast<std::uint64_t>(vocab)));
  }
  return tokens;
}

}  // namespace assay::replay
