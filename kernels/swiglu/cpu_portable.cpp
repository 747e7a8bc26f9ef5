// SwiGLU in plain C++: gate / (1 + e^-gate) * up, with the exponential of kernels/exp.h.
//
// For gate below -88.7 the exponential is infinite and the quotient is -0, which is within the
// error budget (the true value is below 1e-36).
#include "kernels/exp.h"
#include "kernels/launch.h"
#include "kernels/swiglu/swiglu.h"

namespace assay::swiglu_portable {

void swiglu(const SwigluArgs& args, Launch& launch) {
  launch.pool.parallel_for(args.count, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float gate = args.gate[i];
      args.out[i] = (gate / (1.0f + exp_f32(-gate))) * args.up[i];
    }
  });
}

}  // namespace assay::swiglu_portable

ASSAY_VARIANT(swiglu_cpu_portable, assay::SwigluArgs, assay::swiglu_portable::swiglu);
