// Shapes of matvec and matmul: those of a small model, and odd ones that end inside every tile.
#include "kernels/matvec/linear_case.h"

namespace assay {
namespace {

struct Shape {
  int n;
  int k;  // for types of 256-blocks; `small_k` for the others
  int small_k;
  int t;
  DataKind kind;
  bool bench;
};

std::vector<CaseSpec> specs_of(DType dtype, std::span<const Shape> shapes, bool matvec) {
  std::vector<CaseSpec> specs;
  std::uint64_t seed = 1000 + static_cast<std::uint64_t>(dtype) * 100;
  for (const Shape& shape : shapes) {
    const int k = traits(dtype).block == 256 ? shape.k : shape.small_k;
    CaseSpec spec{"n=" + std::to_string(shape.n) + " k=" + std::to_string(k),
                  shape.kind,
                  {{"n", shape.n}, {"k", k}},
                  seed++,
                  shape.bench};
    if (!matvec) {
      spec.name += " t=" + std::to_string(shape.t);
      spec.dims.emplace_back("t", shape.t);
    }
    spec.name += " " + std::string(to_string(shape.kind));
    specs.push_back(std::move(spec));
  }
  return specs;
}

constexpr Shape kMatvecShapes[] = {
    {512, 512, 512, 1, DataKind::kMild, true},      {1024, 512, 512, 1, DataKind::kMild, true},
    {512, 1024, 1024, 1, DataKind::kOutlier, true}, {256, 512, 512, 1, DataKind::kGiant, false},
    {4096, 512, 512, 1, DataKind::kMild, true},     {1, 256, 32, 1, DataKind::kMild, false},
    {3, 256, 96, 1, DataKind::kOutlier, false},     {7, 512, 32, 1, DataKind::kExact, false},
    {33, 768, 576, 1, DataKind::kExact, false},     {33, 1280, 896, 1, DataKind::kExact, false},
    {33, 768, 96, 1, DataKind::kGiant, false},      {33, 256, 160, 1, DataKind::kZero, false},
    {9, 10496, 10528, 1, DataKind::kMild, false},  // longer than any kernel keeps in flight
};

constexpr Shape kMatmulShapes[] = {
    {512, 512, 512, 33, DataKind::kMild, false},     {1024, 512, 512, 64, DataKind::kMild, true},
    {512, 1024, 1024, 64, DataKind::kOutlier, true}, {256, 512, 512, 9, DataKind::kGiant, false},
    {1, 256, 32, 1, DataKind::kMild, false},         {3, 256, 96, 2, DataKind::kOutlier, false},
    {7, 512, 32, 3, DataKind::kExact, false},        {33, 768, 576, 4, DataKind::kMild, false},
    {17, 256, 96, 5, DataKind::kGiant, false},       {16, 256, 896, 7, DataKind::kExact, false},
    {33, 512, 64, 8, DataKind::kMild, false},        {31, 1280, 160, 9, DataKind::kOutlier, false},
    {15, 256, 256, 31, DataKind::kGiant, false},     {33, 256, 32, 33, DataKind::kZero, false},
};

}  // namespace

std::vector<CaseSpec> matvec_cases(DType dtype) {
  return specs_of(dtype, kMatvecShapes, true);
}
std::vector<CaseSpec> matmul_cases(DType dtype) {
  return specs_of(dtype, kMatmulShapes, false);
}

}  // namespace assay
