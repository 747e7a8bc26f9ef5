// A model, and the backends that a part makes on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/gguf/file.h"
#include "engine/model/model.h"
#include "engine/synth/image.h"
#include "kernels/selection.h"

namespace assay::replay {

// Must outlive its backends, which look into it.
class Subject {
 public:
  // "embedded", "synth:SHAPE-QUANT" (its matrices will be generated on the GPU only) or a file.
  Subject(const std::string& name, int threads);
  // A copy of a model with every matrix dequantised to f32, so that both paths of the CPU multiply
  // exact weights by unquantised activations.
  static std::unique_ptr<Subject> dequantised(const Subject& from, int threads);
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  std::unique_ptr<Backend> on_cuda(const ServiceSelection& service, int context,
                                   bool graphs = true);
  // Through the variants of this processor's level.
  std::unique_ptr<Backend> on_cpu(int context, int threads);

  const std::string& name() const { return name_; }
  const GgufFile& file() const { return file_; }
  const HyperParameters& hyper() const { return model_.hyper; }

 private:
  Subject(std::string name, GgufFile file);

  std::string name_;
  SynthImage image_;  // the bytes of a synthetic model
  GgufFile file_;
  Model model_;
  std::atomic<std::uint64_t> progress_{0};
};

// `count` tokens without a pattern.
std::vector<std::int32_t> drawn_tokens(int count, int vocab, std::uint64_t seed);

}  // namespace assay::replay
