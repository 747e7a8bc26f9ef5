// out[i] = a[i] + b[i], b either as large as a or one row that is added to every row (a bias).
#pragma once

namespace assay {

struct AddArgs {
  const float* a;     // (t, k)
  const float* b;     // (t, k), or (k) when broadcast
  float* out;         // (t, k); may be a
  int t;
  int k;
  bool broadcast;
};

}  // namespace assay
