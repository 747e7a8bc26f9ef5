// Biases, rotation and the cache's append as one op. Variants as data; on a GPU alone, where
// launches and trips to memory are what the parts cost.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kRopeStore[] = {
    {"rope_store.cuda.separate",
     "rope_store_cuda_separate",
     "kernels/rope_store/cuda_separate.cu",
     CudaLevel::kSm80,
     {},
     "the kernels of add, rope and kv_store one after the other"},
    {"rope_store.cuda.fused",
     "rope_store_cuda_fused",
     "kernels/rope_store/cuda_fused.cu",
     CudaLevel::kSm80,
     {},
     "one kernel, a thread per few pairs of a head of q, k or v"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants rope_store_variants() {
  return {{"rope_store", Phase::kBoth, {}}, kRopeStore};
}

}  // namespace assay
