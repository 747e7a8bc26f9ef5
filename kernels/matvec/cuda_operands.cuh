// What a lane multiplies, and the one term that it adds per part: the arithmetic of all CUDA
// variants of matvec, as kernels/matvec/README.md writes it down.
//
// Quantised activations are laid out in shared memory so that a warp's loads meet no bank twice: a
// lane wants 32 or 64 bytes in a row, which from memory as it is would cost up to four times the
// cycles, as much as the weights themselves. Sixteen bytes of every unit stand beside those of the
// next unit, and so do scales and sums. Float activations, four times as large, come through L1.
#pragma once

#include <cstdint>

#include "kernels/cuda_weight_unit_k.cuh"
#include "kernels/matvec/matvec.h"

namespace assay::matvec_cuda {

// 32 quantised activations.
struct QuantizedPart {
  std::uint32_t q[8];  // codes
  float d;
  int sum;        // of the codes
  int first_sum;  // of the first 16; known only where a type has two scales
};

__device__ __forceinline__ int dot_16(const std::uint32_t* a, const std::uint32_t* b, int sum) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    sum = __dp4a(static_cast<int>(a[i]), static_cast<int>(b[i]), sum);
  }
  return sum;
}

__device__ __forceinline__ int sum_16(uint4 codes) {
  constexpr int kOnes = 0x01010101;
  return __dp4a(static_cast<int>(codes.x), kOnes,
                __dp4a(static_cast<int>(codes.y), kOnes,
                       __dp4a(static_cast<int>(codes.z), kOnes,
                              __dp4a(static_cast<int>(codes.w), kOnes, 0))));
}

__device__ __forceinline__ void copy_words(uint4 from, std::uint32_t* to) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
  to[3] = from.w;
}

// A row of activations in shared memory, for the units of `Unit`.
template <typename Unit, bool kTwoScales>
class SharedRow {
 public:
  static constexpr bool kShared = true;
  static std::int64_t bytes(int k) { return k + static_cast<std::int64_t>(k) / 32 * kFactBytes; }

  __device__ SharedRow(std::byte* at, int k)
      : units_(k / Unit::kElements),
        codes_(reinterpret_cast<uint4*>(at)),
        facts_(reinterpret_cast<int2*>(at + k)),
        first_sums_(reinterpret_cast<int*>(at + k + k / 32 * 8)) {}

  // By all threads of the block; a barrier has to follow.
  __device__ __forceinline__ void fill(const QuantizedRows& x, int blocks, int threads) {
    const auto* from = reinterpret_cast<const uint4*>(x.q);
#pragma unroll 2
    for (int b = static_cast<int>(threadIdx.x); b < blocks; b += threads) {
      const uint4 first = __ldg(from + 2 * b);
      const uint4 last = __ldg(from + 2 * b + 1);
      const int2 fact{__float_as_int(__ldg(x.d + b)), __ldg(x.sum + b)};
      const int at = Unit::part_of(b) * units_ + Unit::unit_of(b);
      const int codes_at = 2 * Unit::part_of(b) * units_ + Unit::unit_of(b);
      codes_[codes_at] = first;
      codes_[codes_at + units_] = last;
      facts_[at] = fact;
      if constexpr (kTwoScales) first_sums_[at] = sum_16(first);
    }
  }
  __device__ __forceinline__ QuantizedPart load(int unit, int part) const {
    QuantizedPart of_x;
    copy_words(codes_[2 * part * units_ + unit], of_x.q);
    copy_words(codes_[(2 * part + 1) * units_ + unit], of_x.q + 4);
    const int2 fact = facts_[part * units_ + unit];
    of_x.d = __int_as_float(fact.x);
    of_x.sum = fact.y;
    if constexpr (kTwoScales) of_x.first_sum = first_sums_[part * units_ + unit];
    return of_x;
  }

 private:
  static constexpr int kFactBytes = kTwoScales ? 12 : 8;  // per 32-block
  int units_;
  uint4* codes_;     // (2 * kParts, units): sixteen codes
  int2* facts_;      // (kParts, units): d's bits, sum of the codes
  int* first_sums_;  // (kParts, units): sum of the first sixteen codes
};

// sum + dx * (d * dot), or sum + dx * (d * dot + m * sum_x); dot of the codes less their bias.
template <typename Unit>
__device__ __forceinline__ float add_term(const Unit& w, int phase, int part,
                                          const QuantizedPart& x, float sum) {
  std::uint32_t codes[8];
  w.codes(phase, part, codes);
  int dot = dot_16(codes + 4, x.q + 4, dot_16(codes, x.q, 0));
  if constexpr (Unit::kBias != 0) dot -= Unit::kBias * x.sum;
  float term = w.scale(phase, part, 0) * static_cast<float>(dot);
  if constexpr (Unit::kHasOffset) {
    const float low = __fmul_rn(-w.offset(phase, part), static_cast<float>(x.sum));
    term = __fmaf_rn(w.scale(phase, part, 0), static_cast<float>(dot), low);
  }
  return __fmaf_rn(x.d, term, sum);
}

// sum + dx * (d * (scale dot) - dmin * (min sum_x)), the parentheses as integers.
template <DType kType>
__device__ __forceinline__ float add_term(const cuda::PairUnit<kType>& w, int phase, int part,
                                          const QuantizedPart& x, float sum) {
  std::uint32_t codes[8];
  w.codes(phase, part, codes);
  const int scale = static_cast<int>(w.scale_pair(phase) >> (8 * part) & 0xffu);
  const int least = static_cast<int>(w.min_pair(phase) >> (8 * part) & 0xffu);
  const int dot = dot_16(codes + 4, x.q + 4, dot_16(codes, x.q, 0));
  const float low = __fmul_rn(w.dmin(), static_cast<float>(least * x.sum));
  return __fmaf_rn(x.d, __fmaf_rn(w.d(), static_cast<float>(scale * dot), -low), sum);
}

// sum + dx * (d * (s0 dot0 + s1 dot1)), the inner parentheses as an integer. The bias of 32 is
// taken off whole dots, by the codes' sums, not off every code.
template <WeightLayout kLayout>
__device__ __forceinline__ float add_term(const cuda::Q6KUnit<kLayout>& w, int phase, int part,
                                          const QuantizedPart& x, float sum) {
  constexpr int kBias = cuda::Q6KUnit<kLayout>::kBias;
  std::uint32_t codes[8];
  w.codes(phase, part, codes);
  const int first = dot_16(codes, x.q, -kBias * x.first_sum);
  const int last = dot_16(codes + 4, x.q + 4, -kBias * (x.sum - x.first_sum));
  const int scaled = w.scale_code(phase, part, 0) * first + w.scale_code(phase, part, 1) * last;
  return __fmaf_rn(x.d, __fmul_rn(cuda::half_bits(w.d), static_cast<float>(scaled)), sum);
}

// Eight elements of a float type.
template <DType kType>
struct FloatUnit {
  static constexpr int kElements = 8;
  static constexpr int kParts = 1;
  static constexpr int kPhases = 1;
  static constexpr int kDepth = 4;
  static constexpr int kWords = kType == DType::kF32 ? 8 : 4;

  std::uint32_t word[kWords];

  __device__ static cuda::WeightView view_of(const cuda::WeightView& view, int) { return view; }
  __device__ static int block_of(int unit, int) { return unit; }

  __device__ __forceinline__ static FloatUnit load(const cuda::WeightView& view,
                                                   std::uint32_t block) {
    FloatUnit unit;
    const std::byte* from = view.field[0] + static_cast<std::uint64_t>(block) * (4 * kWords);
    cuda::load_words<kWords, true, kWords == 4>(from, unit.word);
    return unit;
  }
  __device__ __forceinline__ float element(int i) const {
    if constexpr (kType == DType::kF32) {
      return __uint_as_float(word[i]);
    } else {
      const std::uint32_t two = word[i / 2];
      if constexpr (kType == DType::kF16) {
        return cuda::half_bits(i % 2 == 0 ? two : two >> 16);
      } else {  // bf16
        return __uint_as_float(i % 2 == 0 ? two << 16 : two & 0xffff0000u);
      }
    }
  }
};

// Eight f32 activations.
struct FloatPart {
  float x[8];
};

template <DType kType>
__device__ __forceinline__ float add_term(const FloatUnit<kType>& w, int, int, const FloatPart& x,
                                          float sum) {
#pragma unroll
  for (int i = 0; i < 8; ++i) sum = __fmaf_rn(w.element(i), x.x[i], sum);
  return sum;
}

template <DType kType>
inline constexpr bool kIsFloat =
    kType == DType::kF32 || kType == DType::kF16 || kType == DType::kBF16;

// A row of f32 activations where it is.
class FloatRow {
 public:
  static constexpr bool kShared = false;
  static std::int64_t bytes(int) { return 0; }

  __device__ FloatRow(std::byte*, int) {}
  __device__ void fill(const float* x, int, int) { x_ = reinterpret_cast<const float4*>(x); }
  __device__ __forceinline__ FloatPart load(int unit, int) const {
    const float4 a = x_[2 * unit];
    const float4 b = x_[2 * unit + 1];
    return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
  }

 private:
  const float4* x_ = nullptr;
};

// Which unit a type has, and how its activations are read.
template <DType kType, WeightLayout kLayout>
struct Operands {
  using Unit = cuda::WeightUnit<kType, kLayout>;
  using Activations = QuantizedRows;
  using Row = SharedRow<Unit, kType == DType::kQ6K>;
  static Activations of(const MatvecArgs& args) { return args.xq; }
};
template <DType kType, WeightLayout kLayout>
requires kIsFloat<kType>
struct Operands<kType, kLayout> {
  using Unit = FloatUnit<kType>;
  using Activations = const float*;
  using Row = FloatRow;
  static Activations of(const MatvecArgs& args) { return args.x; }
};

}  // namespace assay::matvec_cuda
