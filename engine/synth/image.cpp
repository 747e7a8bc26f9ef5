#include "engine/synth/image.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/memory.h"

namespace assay {
namespace {

constexpr std::uint64_t kPiece = 64u << 20;  // bytes between two calls of progress

[[noreturn]] void no_room(const SynthModel& model, std::uint64_t bytes, std::uint64_t available) {
  constexpr double kMiB = 1024.0 * 1024.0;
  throw Error(ErrorKind::kEnvironment,
              fmt::format("{}: out of memory: the model takes {:.1f} MiB, and {:.1f} MiB are "
                          "available; name a smaller shape or quant",
                          name_of(model), static_cast<double>(bytes) / kMiB,
                          static_cast<double>(available) / kMiB));
}

std::span<std::byte> map_memory(const SynthModel& model, std::uint64_t bytes) {
  const std::uint64_t available = available_memory();
  if (available != 0 && bytes > available) no_room(model, bytes, available);
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) no_room(model, bytes, available);
  ::madvise(start, bytes, MADV_HUGEPAGE);  // fewer page faults; a refusal does no harm
  return {static_cast<std::byte*>(start), bytes};
}

}  // namespace

SynthImage::SynthImage(const SynthModel& model, int threads, const Progress& progress) {
  const SynthFile file = synth_file(model);
  bytes_ = map_memory(model, file.size);
  std::memcpy(bytes_.data(), file.head.data(), file.head.size());
  ThreadPool pool(threads);
  for (const SynthTensor& tensor : file.tensors) {
    std::byte* data = bytes_.data() + file.head.size() + tensor.offset;
    const std::uint64_t piece = kPiece / tensor.block_bytes();
    for (std::uint64_t first = 0; first < tensor.blocks(); first += piece) {
      const std::uint64_t count = std::min(piece, tensor.blocks() - first);
      generate_blocks(tensor, first, count, data + first * tensor.block_bytes(), pool);
      progress();
    }
  }
  ::mprotect(bytes_.data(), bytes_.size(), PROT_READ);
}

SynthImage::~SynthImage() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

SynthImage::SynthImage(SynthImage&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

SynthImage& SynthImage::operator=(SynthImage&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace assay
