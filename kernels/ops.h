// The two functions that make an op: what variants it has, and how to tell that they are right.
//
// A line ASSAY_OP(name) in ops.inc declares both; kernels/<op>/variants.cpp defines the first
// (data, compiled everywhere), kernels/<op>/reference.cpp the second. An op that lacks either does
// not link, so no op can exist without a reference. Registration by static initialisers was
// rejected: a linker may drop them, and their order is nobody's.
#pragma once

#include "kernels/reference.h"
#include "kernels/variant.h"

namespace assay {

#define ASSAY_OP(name)          \
  OpVariants name##_variants(); \
  OpReference name##_reference();
#include "kernels/ops.inc"
#undef ASSAY_OP

}  // namespace assay
