// What a row of logits gives (row/row_reading.h, row/sampling.h), read on the GPU.
//
// A row of a large vocabulary is 600 KB: its way to the host, the digest there and drawing there
// took longer than several of the step's kernels. Here two kernels give digest and count, and are
// part of a captured step; drawing is 1 to 11 more, launched behind it where it is asked for. The
// results lie in DeviceResult and come over with its one copy. All bits are those of the host's
// functions. These kernels belong to no op, so no launch counter knows them.
#pragma once

#include <cuda_runtime.h>

#include "engine/backend/cuda/device_array.cuh"
#include "engine/backend/row/row_reading.h"
#include "engine/backend/row/sampling.h"

namespace assay {

// What the host reads after a pass.
struct DeviceResult {
  RowReading row;
  std::uint64_t nonfinite;  // activations and cache values
};

// What select_pass (row_draw.cu) knows between its launches.
struct Selection {
  std::uint64_t prefix;     // upper digits of the key at which the wanted part ends
  std::uint64_t remaining;  // wanted among keys of that prefix
  std::uint64_t threshold;  // once done: keys from here on stay
  std::uint32_t done;
};

// Scratch of one row, allocated once.
class RowScratch {
 public:
  explicit RowScratch(int vocab);
  static std::uint64_t bytes(int vocab);

  std::uint64_t* partials() const { return partials_.data(); }    // (blocks of the digest, 8)
  std::uint64_t* bins() const { return bins_.data(); }            // zeros between launches
  std::uint64_t* sums() const { return sums_.data(); }            // (parts of the draw)
  std::uint32_t* arrived() const { return arrived_.data(); }      // (1), 0 between launches
  std::uint32_t* nonfinite() const { return nonfinite_.data(); }  // (blocks of the digest)
  Selection* selection() const { return selection_.data(); }

 private:
  DeviceArray<std::uint64_t> partials_, bins_, sums_;
  DeviceArray<std::uint32_t> arrived_, nonfinite_;
  DeviceArray<Selection> selection_;
};

// Where a row lies and where what is read goes; addresses on the device.
struct RowPlace {
  const float* logits;  // (vocab), 16-byte aligned
  int vocab;
  RowReading* reading;  // its `top` is there already
  const RowScratch* scratch;
};

// Whether digest_on_device can do rows of this vocabulary: shorter ones have another formula.
bool has_device_digest(int vocab);
// Enqueues digest and nonfinite.
void digest_on_device(const RowPlace& place, cudaStream_t stream);
// Enqueues `drawn`. The vocabulary is at most draw_arithmetic::kMostTokens.
void draw_on_device(const RowPlace& place, const Draw& draw, cudaStream_t stream);

}  // namespace assay
