// The fat binaries of a host object: what nvcc puts into its section .nv_fatbin, one container per
// translation unit, in it one image per architecture: a cubin (machine code, ELF) or PTX (text).
//
// The container's form is not documented; this reads what nvcc 11 to 13 write: a header of 16 bytes
// (magic, version, header size, size of what follows), then images, each with a header (kind at 0,
// header size at 4, payload size at 8, architecture at 28) and its payload. Compressed images are
// refused, since their bytes are not code: kernels are built with -no-compress.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/manifest/object_files.h"

namespace assay {

struct DeviceImage {
  enum class Kind { kCubin, kPtx };
  Kind kind = Kind::kCubin;
  std::uint32_t architecture = 0;  // compute capability times ten
  std::string bytes;               // PTX without its padding
};

// In the order of the file. Error(kBaseline) for a compressed or damaged image.
std::vector<DeviceImage> device_images(const ObjectFile& object);

}  // namespace assay
