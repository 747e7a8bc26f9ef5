// The tiny model with everything up to a session, for tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/service_of_level.h"
#include "engine/generate/session.h"
#include "engine/gguf/file.h"
#include "engine/model/tiny_model.h"

namespace assay {

struct TinyEngine {
  explicit TinyEngine(const CpuBackendOptions& options = {.context = 1024, .threads = 2},
                      const ServiceSelection& map = service_of_level(cpu_level()),
                      const TinyModel& tiny = {})
      : bytes(tiny_model_bytes(tiny)),
        file(GgufFile::from_memory(bytes, "tiny")),
        model(read_model(file)),
        graph(build_graph(model)),
        service(map),
        backend(model, graph, service, options, progress),
        session(model, backend) {}

  std::vector<std::byte> bytes;
  GgufFile file;
  Model model;
  Graph graph;
  ServiceSelection service;
  std::atomic<std::uint64_t> progress{0};
  CpuBackend backend;
  Session session;
};

// `count` tokens of the tiny vocabulary, not periodic.
inline std::vector<std::int32_t> tiny_prompt(int count) {
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < count; ++i) tokens.push_back((i * i * 7 + i * 13 + 5) % 300);
  return tokens;
}

}  // namespace assay
