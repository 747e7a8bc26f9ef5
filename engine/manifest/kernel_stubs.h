// Which host functions of an object stand for which kernels.
//
// A launch `kernel<<<...>>>(...)` compiles to host code that takes the address of a host function,
// the stub; the object's start-up code tells the runtime, by __cudaRegisterFunction(module, stub,
// name, ...), which kernel of the fat binary it means. These calls are read from the relocations
// that lead to each of them, so that no rule of name mangling is needed. From there on a stub is
// code like any other: whoever reaches it reaches the kernel.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/manifest/object_files.h"

namespace assay {

// Mangled names of kernels, by the section of the stub.
std::map<std::uint32_t, std::string> registered_kernels(const ObjectFile& object);

// Hashes of the registered kernels' code in all images of the object (cubin_code.h, ptx_code.h), by
// the section of the stub. Error(kBaseline) when a fat binary cannot be read, when a kernel is in
// none of them, and when stubs share a section.
std::map<std::uint32_t, std::string> kernels_by_stub(const ObjectFile& object);

}  // namespace assay
