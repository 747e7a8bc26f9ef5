// A small random model file for tests: GQA, every tensor type that the engine computes with. qwen2
// has f32, f16, q8_0, q4_K, q6_K; llama and qwen3 have the other types.
//
// hidden 256, 2 layers, 2 query heads and 1 KV head of 128, feed-forward 512, vocabulary of 300
// tokens without text. Codes and scales come from an integer hash, so that every machine builds the
// same bytes. Used by tests of model, graph, backend, generate and worker; no program links it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/gguf/gguf_builder.h"

namespace assay {

struct TinyModel {
  std::string architecture = "qwen2";  // or "llama", "qwen3"
  bool tied = true;
  int context = 1024;
  // Metadata keys and tensor names to leave out.
  std::vector<std::string> without = {};
  // Called before the file is built: adds what a test wants besides.
  std::function<void(GgufBuilder&)> extend = {};
};

std::vector<std::byte> tiny_model_bytes(const TinyModel& options = {});
// Writes the bytes to a new file in the temporary folder of the test; returns its path.
std::string write_tiny_model(const TinyModel& options = {});

}  // namespace assay
