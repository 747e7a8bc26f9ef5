// Part d: a synthetic model's tensors, as the GPU generates them and as the host does.
//
// Every tensor of codes, before any repack, by the digest of its bytes. Norms and biases are not
// generated on a device (a backend copies the host's), so there is nothing to compare; they are
// counted. With `sampled`, on a host of few cores: all tensors outside the layers, and those of the
// first, the middle and the last layer.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/core/thread_pool.h"
#include "engine/replay/byte_digest.h"
#include "engine/replay/device_tensor.h"
#include "engine/replay/replay.h"
#include "engine/synth/tensors.h"

namespace assay::replay {
namespace {

constexpr const char* kModel = "synth:qwen2.5-7b-q4_k_m";
constexpr std::uint64_t kPiece = std::uint64_t{32} << 20;  // bytes

std::string digest_of_host(const SynthTensor& tensor, ThreadPool& pool,
                           std::vector<std::byte>& piece) {
  ByteDigest digest;
  const std::uint64_t blocks = kPiece / tensor.block_bytes();
  for (std::uint64_t first = 0; first < tensor.blocks(); first += blocks) {
    const std::uint64_t count = std::min(blocks, tensor.blocks() - first);
    generate_blocks(tensor, first, count, piece.data(), pool);
    digest.add(std::span(piece).first(count * tensor.block_bytes()));
  }
  return digest.hex();
}

std::string digest_of_device(const SynthTensor& tensor, DeviceTensor& device) {
  ByteDigest digest;
  device.generate(tensor, [&](std::span<const std::byte> bytes) { digest.add(bytes); });
  return digest.hex();
}

// Of "blk.13.ffn_up.weight" 13; -1 outside the layers.
int layer_of(const SynthTensor& tensor) {
  return tensor.name.starts_with("blk.") ? std::stoi(tensor.name.substr(4)) : -1;
}

std::vector<SynthTensor> tensors_to_compare(const SynthModel& model, bool sampled) {
  const int last = model.shape->layers - 1;
  std::vector<SynthTensor> tensors;
  for (SynthTensor& tensor : tensors_of(model)) {
    const int layer = layer_of(tensor);
    const bool wanted = layer <= 0 || layer == last / 2 || layer == last;
    if (wanted || !sampled) tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Outcome compare_tensors(const Options& options) {
  const std::vector<SynthTensor> tensors =
      tensors_to_compare(parse_synth_name(kModel), options.sampled);
  std::uint64_t most = 0;
  for (const SynthTensor& tensor : tensors) most = std::max(most, tensor.bytes());
  std::optional<DeviceTensor> device;
  if (!options.host) device.emplace(most);
  ThreadPool pool(options.threads);
  std::vector<std::byte> piece(kPiece);
  ByteDigest all;
  int compared = 0, different = 0, vectors = 0;
  std::uint64_t bytes = 0;
  std::string first_different;
  for (const SynthTensor& tensor : tensors) {
    if (tensor.kind != SynthKind::kCodes) {
      ++vectors;
      continue;
    }
    const std::string of_host = digest_of_host(tensor, pool, piece);
    all.add(std::as_bytes(std::span(of_host)));
    bytes += tensor.bytes();
    ++compared;
    if (!device || digest_of_device(tensor, *device) == of_host) continue;
    if (different++ == 0) first_different = tensor.name;
  }
  const std::string place = different == 0 ? "" : fmt::format(", the first is {}", first_different);
  return {.ok = compared > 0 && different == 0,
          .judged = !options.host,
          .sentence = fmt::format(
              "{} tensors{}, {} MiB, {}; {} vectors come from the host; digest of the digests {}",
              compared, options.sampled ? " of layers 0, 13, 27 and outside" : "", bytes >> 20,
              options.host ? "on the host only" : fmt::format("{} differ{}", different, place),
              vectors, all.hex()),
          .figures = {
              {"tensors", compared}, {"differ", different}, {"bytes", static_cast<double>(bytes)}}};
}

}  // namespace

void check_synth(const Options& options, Report& report) {
  report.line('d', fmt::format("{}, device = host", kModel),
              [&] { return compare_tensors(options); });
}

}  // namespace assay::replay
