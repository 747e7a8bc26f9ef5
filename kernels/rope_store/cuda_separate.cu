// rope_store as the kernels of its parts: a sum for each bias that is there, two rotations, one
// append.
#include "kernels/add/cuda_vector.cuh"
#include "kernels/kv_store/cuda_rows.cuh"
#include "kernels/rope/cuda_pairs.cuh"
#include "kernels/rope_store/rope_store.h"

namespace assay::rope_store_cuda_separate {

constexpr const char* kVariant = "rope_store.cuda.separate";

void add_bias(const RopeStoreArgs& args, float* x, const float* bias, int heads,
              const CudaLaunch& launch) {
  if (bias == nullptr) return;
  add_cuda_vector::enqueue(
      kVariant,
      {.a = x, .b = bias, .out = x, .t = args.t, .k = heads * args.head_dim, .broadcast = true},
      launch);
}

void rotate(const RopeStoreArgs& args, float* x, int heads, const CudaLaunch& launch) {
  rope_cuda_pairs::enqueue(kVariant,
                           {.x = x,
                            .cosine = args.cosine,
                            .sine = args.sine,
                            .t = args.t,
                            .heads = heads,
                            .head_dim = args.head_dim,
                            .first_position = args.first_position,
                            .interleaved = args.interleaved},
                           launch);
}

void run(const RopeStoreArgs& args, CudaLaunch& launch) {
  add_bias(args, args.q, args.q_bias, args.heads, launch);
  add_bias(args, args.k, args.k_bias, args.kv_heads, launch);
  add_bias(args, args.v, args.v_bias, args.kv_heads, launch);
  rotate(args, args.q, args.heads, launch);
  rotate(args, args.k, args.kv_heads, launch);
  kv_store_cuda_rows::enqueue(kVariant,
                              {.k = args.k,
                               .v = args.v,
                               .k_cache = args.k_cache,
                               .v_cache = args.v_cache,
                               .position_stride = args.position_stride,
                               .head_stride = args.head_stride,
                               .t = args.t,
                               .kv_heads = args.kv_heads,
                               .head_dim = args.head_dim,
                               .first_position = args.first_position,
                               .nonfinite = args.nonfinite},
                              launch);
}

}  // namespace assay::rope_store_cuda_separate

ASSAY_CUDA_VARIANT(rope_store_cuda_separate, assay::RopeStoreArgs,
                   assay::rope_store_cuda_separate::run);
