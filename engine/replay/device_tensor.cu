#include "engine/replay/device_tensor.h"

#include <cuda_runtime.h>

#include <algorithm>

#include "engine/backend/cuda/device_array.cuh"
#include "engine/worker/synth_on_device.h"
#include "kernels/cuda_check.cuh"

namespace assay::replay {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{32} << 20;  // bytes

}  // namespace

struct DeviceTensor::State {
  explicit State(std::uint64_t most_bytes) : device(most_bytes, "a tensor"), host(kPiece) {
    cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~State() { cudaStreamDestroy(stream); }

  DeviceArray<std::byte> device;
  PinnedArray<std::byte> host;
  cudaStream_t stream = nullptr;
};

DeviceTensor::DeviceTensor(std::uint64_t most_bytes)
    : state_(std::make_unique<State>(most_bytes)) {}
DeviceTensor::~DeviceTensor() = default;

void DeviceTensor::generate(const SynthTensor& tensor,
                            const std::function<void(std::span<const std::byte>)>& take) {
  state_->device.poison(state_->stream);
  generate_on_device(tensor, state_->device.data(), state_->stream);
  for (std::uint64_t at = 0; at < tensor.bytes(); at += kPiece) {
    const std::uint64_t count = std::min(kPiece, tensor.bytes() - at);
    cuda::check(cudaMemcpyAsync(state_->host.data(), state_->device.data() + at, count,
                                cudaMemcpyDeviceToHost, state_->stream),
                "copy of " + tensor.name + " from the device");
    cuda::check(cudaStreamSynchronize(state_->stream), "generation of " + tensor.name);
    take({state_->host.data(), count});
  }
}

}  // namespace assay::replay
