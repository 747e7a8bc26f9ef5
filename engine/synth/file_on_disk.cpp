// Writing a synthetic model to disk.
#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/new_file.h"
#include "engine/synth/image.h"

namespace assay {
namespace {

constexpr std::uint64_t kPiece = 32u << 20;  // bytes generated, then written

void check_stopped(const std::function<bool()>& stop) {
  if (!stop || !stop()) return;
  throw Error(ErrorKind::kInconclusive, "stopped before all was written; no file was made");
}

}  // namespace

std::uint64_t write_synth_file(const SynthModel& model, const std::string& path, int threads,
                               const std::function<bool()>& stop) {
  const SynthFile layout = synth_file(model);
  NewFile file = NewFile::create(path, "models");
  file.reserve(layout.size);
  file.write_at(0, std::as_bytes(std::span(layout.head)));
  ThreadPool pool(threads);
  std::vector<std::byte> bytes;
  for (const SynthTensor& tensor : layout.tensors) {
    const std::uint64_t start = layout.head.size() + tensor.offset;
    const std::uint64_t piece = kPiece / tensor.block_bytes();
    for (std::uint64_t first = 0; first < tensor.blocks(); first += piece) {
      check_stopped(stop);
      const std::uint64_t count = std::min(piece, tensor.blocks() - first);
      bytes.resize(count * tensor.block_bytes());
      generate_blocks(tensor, first, count, bytes.data(), pool);
      file.write_at(start + first * tensor.block_bytes(), bytes);
    }
  }
  check_stopped(stop);
  file.keep();
  return layout.size;
}

}  // namespace assay
