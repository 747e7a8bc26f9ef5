// Root-mean-square normalisation: y = x / sqrt(mean(x^2) + eps) * w.
#pragma once

namespace assay {

struct RmsNormArgs {
  const float* x;  // (t, k)
  const float* w;  // (k)
  float* y;        // (t, k); may be x
  int t;
  int k;           // multiple of 8
  float eps;
};

}  // namespace assay
