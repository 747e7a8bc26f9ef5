// Appending K and V rows to the f16 cache. Variants as data.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kKvStore[] = {
    {"kv_store.cpu.portable",
     "kv_store_cpu_portable",
     "kernels/kv_store/cpu_portable.cpp",
     CpuLevel::kPortable,
     {},
     "integer conversion to f16"},
    {"kv_store.cpu.avx2",
     "kv_store_cpu_avx2",
     "kernels/kv_store/cpu_avx2.cpp",
     CpuLevel::kAvx2,
     {},
     "F16C conversion, eight at a time"},
    {"kv_store.cuda.rows",
     "kv_store_cuda_rows",
     "kernels/kv_store/cuda_rows.cu",
     CudaLevel::kSm80,
     {},
     "a thread per four values, position from device memory"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants kv_store_variants() {
  return {{"kv_store", Phase::kBoth, {}}, kKvStore};
}

}  // namespace assay
