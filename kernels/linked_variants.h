// The launch functions that this program links, per family of processors.
//
// registry_cpu_portable.inc lists the symbols that every machine has, registry_cpu_x86.inc the ones
// with x86 instructions. CMake compiles registry_cpu_x86.cpp on x86-64 and
// registry_cpu_no_simd.cpp elsewhere; both define machine_variants().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/launch.h"

namespace assay {

struct LinkedVariant {
  std::string_view symbol;  // as VariantInfo::symbol
  LaunchFunction launch;
  std::uint64_t* launches;
};

std::span<const LinkedVariant> portable_variants();
std::span<const LinkedVariant> machine_variants();

}  // namespace assay

// For the registry files: what a line ASSAY_LINKED(symbol) declares, and the entry it becomes.
#define ASSAY_LINKED_DECLARATION(symbol)         \
  extern "C" std::uint64_t assay_count_##symbol; \
  extern "C" void assay_launch_##symbol(const void* args, ::assay::Launch& launch);
#define ASSAY_LINKED_ENTRY(symbol) {#symbol, assay_launch_##symbol, &assay_count_##symbol},
