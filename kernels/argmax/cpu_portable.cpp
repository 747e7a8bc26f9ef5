// The largest value, its lowest index, and the runner-up, in one scalar pass.
//
// NaN never wins: it is passed over. When every value is NaN there is no winner, and index 0 with
// its NaN is reported, so that whoever looks at the value sees it. A vocabulary is small enough
// for one thread.
#include "kernels/argmax/argmax.h"

#include "kernels/launch.h"

namespace assay::argmax_portable {

void argmax(const ArgmaxArgs& args, Launch&) {
  int index = -1;
  float best = -__builtin_inff();
  float second = -__builtin_inff();
  for (int i = 0; i < args.k; ++i) {
    const float x = args.x[i];
    if (x != x) continue;
    if (index < 0 || x > best) {
      if (index >= 0) second = best;
      best = x;
      index = i;
    } else if (x > second) {
      second = x;
    }
  }
  *args.index = index < 0 ? 0 : index;
  *args.value = args.x[*args.index];
  *args.second = second + 0.0f;  // -0 becomes +0: which zero was seen first must not show
}

}  // namespace assay::argmax_portable

ASSAY_VARIANT(argmax_cpu_portable, assay::ArgmaxArgs, assay::argmax_portable::argmax);
