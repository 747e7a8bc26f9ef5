// The variants whose code is in this program.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/launch.h"
#include "kernels/variant.h"

namespace assay {

struct RegisteredVariant {
  const VariantInfo* info;
  LaunchFunction launch;
  std::uint64_t* launches;  // bumped by the launcher; never reset, read as differences
};

// Every CPU variant compiled into this program, in the order of all_ops(). The list is
// registry_cpu.cpp; an info without code here is "known, not built here".
std::span<const RegisteredVariant> cpu_registry();
const RegisteredVariant* find_cpu_variant(std::string_view id);

}  // namespace assay
