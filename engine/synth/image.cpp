#include "engine/synth/image.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/memory.h"
#include "engine/core/sha256.h"

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

// To be raised with every change of what the recipes make (blocks_test.cpp holds their bits).
constexpr int kRecipes = 1;

std::span<std::byte> map_memory(const SynthModel& model, std::uint64_t bytes,
                                SynthContent content) {
  const bool whole = content == SynthContent::kWhole;
  const std::uint64_t available = available_memory();
  if (whole && available != 0 && bytes > available) no_room(model, bytes, available);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (whole ? 0 : MAP_NORESERVE);
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (start == MAP_FAILED) no_room(model, bytes, available);
  if (whole) ::madvise(start, bytes, MADV_HUGEPAGE);  // fewer page faults; a refusal does no harm
  return {static_cast<std::byte*>(start), bytes};
}

}  // namespace

SynthImage::SynthImage(const SynthModel& model, int threads, const Progress& progress,
                       SynthContent content) {
  const SynthFile file = synth_file(model);
  identity_ = sha256_hex(fmt::format("recipes {}, {}\n", kRecipes, name_of(model)) + file.head);
  bytes_ = map_memory(model, file.size, content);
  std::memcpy(bytes_.data(), file.head.data(), file.head.size());
  ThreadPool pool(threads);
  for (const SynthTensor& tensor : file.tensors) {
    if (content == SynthContent::kVectors && tensor.kind == SynthKind::kCodes) continue;
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

SynthImage::SynthImage(SynthImage&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), identity_(std::move(other.identity_)) {}

SynthImage& SynthImage::operator=(SynthImage&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(identity_, other.identity_);
  return *this;
}

}  // namespace assay
