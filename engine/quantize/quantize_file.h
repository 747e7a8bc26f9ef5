// A model file in another mixture of element types.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/gguf/file.h"
#include "engine/quantize/mixture.h"

namespace assay {

struct QuantizedTensor {
  std::string_view name;
  DType from = DType::kF32;
  TensorChoice to;
  std::uint64_t bytes = 0;  // of data in the new file
};

struct QuantizeOptions {
  Mixture mixture;
  int layers = 0;                                    // of the model
  int threads = 1;                                   // the bytes do not depend on it
  std::function<void(const QuantizedTensor&)> done;  // called after each tensor
  std::function<bool()> stop;                        // asked every few rows; empty: never
};

// Writes `path` (GgufWriter): metadata as in `file`, but for general.file_type and
// general.quantization_version. Error(kUsage), and no file, when a tensor is quantised already to
// another type (a second rounding on top of the first would be blamed on the type; to f16, bf16 and
// f32 anything can go), a value is not finite or too large, or the disk refuses;
// Error(kInconclusive), and no file, when it was stopped. Returns the size.
std::uint64_t quantize_file(const GgufFile& file, const std::string& path,
                            const QuantizeOptions& options);

}  // namespace assay
