// A synthetic model as the bytes of a GGUF file without a vocabulary: in memory, or on disk. Both
// have the same bytes.
//
// In memory: one anonymous mapping that is written once, in parallel, and read through GgufFile, so
// that every check of a file applies and peak memory is the model's size. On disk: pieces of 32 MiB
// go to a file that appears when it is whole (NewFile), so that a full disk, a crash or a kill
// leaves nothing. Writing through a mapping was rejected: a full disk would be a SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/synth/model_name.h"
#include "engine/synth/tensors.h"

namespace assay {

struct SynthFile {
  std::string head;  // all before the data section
  std::vector<SynthTensor> tensors;
  std::uint64_t size = 0;  // bytes of the file
};
SynthFile synth_file(const SynthModel& model);

// Called now and then during long work; must not throw.
using Progress = std::function<void()>;

// Which tensors' bytes an image holds.
enum class SynthContent {
  kWhole,
  kVectors,  // the head, norms and biases; matrices read as zeros and take no memory
};

class SynthImage {
 public:
  SynthImage() = default;  // no bytes
  // Error(kEnvironment) when the machine has too little memory for it.
  SynthImage(const SynthModel& model, int threads, const Progress& progress,
             SynthContent content = SynthContent::kWhole);
  ~SynthImage();
  SynthImage(SynthImage&& other) noexcept;
  SynthImage& operator=(SynthImage&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }
  // SHA-256 of the head and the recipes' number: the model's identity without its bytes, which are
  // a function of both. It is not the SHA-256 of the file.
  const std::string& identity() const { return identity_; }

 private:
  std::span<std::byte> bytes_;
  std::string identity_;
};

// Writes a new file; returns its size in bytes. `stop` is asked between pieces; empty: never.
// Error(kUsage) when there is something of that name, or it cannot be written, kInconclusive when
// stopped; nothing is left then.
std::uint64_t write_synth_file(const SynthModel& model, const std::string& path, int threads,
                               const std::function<bool()>& stop);

}  // namespace assay
