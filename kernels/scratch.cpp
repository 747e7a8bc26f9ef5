#include "kernels/scratch.h"

#include <cstdint>
#include <vector>

namespace assay {
namespace {

constexpr std::size_t kAlignment = 64;  // bytes

}  // namespace

float* thread_scratch(std::size_t floats) {
  thread_local std::vector<float> storage;
  const std::size_t wanted = floats + kAlignment / sizeof(float);
  if (storage.size() < wanted) storage.resize(wanted);
  const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
  const std::size_t skip = (kAlignment - address % kAlignment) % kAlignment;
  return storage.data() + skip / sizeof(float);
}

}  // namespace assay
