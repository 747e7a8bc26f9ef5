#include "kernels/ranges.h"

#include <cstdlib>
#include <new>

namespace assay {
namespace {

struct Scratch {
  void* data = nullptr;
  std::int64_t size = 0;
  ~Scratch() { std::free(data); }
};
thread_local Scratch scratch;

}  // namespace

void parallel_ranges(Launch& launch, std::int64_t n, std::int64_t grain, RangeFunction function,
                     const void* body) {
  launch.pool.parallel_for(
      n, grain, [=](std::int64_t begin, std::int64_t end) { function(body, begin, end); });
}

void* thread_scratch(std::int64_t bytes) {
  if (scratch.size < bytes) {
    std::free(scratch.data);
    scratch.size = (bytes + 4095) / 4096 * 4096;
    scratch.data = std::aligned_alloc(64, static_cast<std::size_t>(scratch.size));
    if (scratch.data == nullptr) {
      scratch.size = 0;
      throw std::bad_alloc();
    }
  }
  return scratch.data;
}

}  // namespace assay
