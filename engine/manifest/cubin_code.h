// A kernel's code in a cubin, as a text to be hashed.
//
// Counted: the sections .text.<kernel>, .nv.constant<bank>.<kernel>, .nv.shared.<kernel>,
// .nv.local.<kernel> (bytes, sizes, relocations), the attributes of .nv.info.<kernel>, what
// .nv.info says of the kernel (registers, frame, stack), and the same of every device function that
// relocations reach. Not counted: names, symbol indices, places in the file, debug sections, the
// notes with ptxas's version and options, other kernels.
//
// Device variables (__constant__, __device__) lie in banks that all kernels of a cubin share, and
// code names them by their place there, without a relocation. Where a cubin has such variables they
// count for each of its kernels: a change may then be seen where there is none, never the reverse.
#pragma once

#include <optional>
#include <string>

#include "engine/manifest/object_files.h"

namespace assay {

// `kernel`: its mangled name. Nothing when the cubin does not hold it.
std::optional<std::string> cubin_code(const ObjectFile& cubin, const std::string& kernel);

}  // namespace assay
