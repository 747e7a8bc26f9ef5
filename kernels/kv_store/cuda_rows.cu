// Appending K and V rows to the f16 cache on the GPU; the code is cuda_rows.cuh.
#include "kernels/kv_store/cuda_rows.cuh"

namespace assay::kv_store_cuda_rows {

void kv_store(const KvStoreArgs& args, CudaLaunch& launch) {
  enqueue("kv_store.cuda.rows", args, launch);
}

}  // namespace assay::kv_store_cuda_rows

ASSAY_CUDA_VARIANT(kv_store_cuda_rows, assay::KvStoreArgs, assay::kv_store_cuda_rows::kv_store);
