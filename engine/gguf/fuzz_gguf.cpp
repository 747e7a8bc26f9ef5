// Fuzz target: any bytes are read as a GGUF, or give one Error(kUsage) of one line.
//
// What is read is asked for everything, and written again from the parsed values it must give the
// same metadata: a reader that misplaces a value would show there. The input lies in a block of
// exactly its size, so that the sanitizers see one byte too far.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "engine/core/error.h"
#include "engine/gguf/encoded_metadata.h"
#include "engine/gguf/read_everything.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto exact = std::make_unique<std::byte[]>(size);
  if (size > 0) std::memcpy(exact.get(), data, size);
  try {
    const auto file = assay::GgufFile::from_memory({exact.get(), size}, "m");
    assay::read_everything(file);
    const std::string again = assay::EncodedMetadata::copy_of(file.metadata()).bytes();
    if (again.size() > size - 24) std::abort();
    if (std::memcmp(again.data(), exact.get() + 24, again.size()) != 0) std::abort();
  } catch (const assay::Error& error) {
    const std::string message = error.what();
    const bool fits = error.kind() == assay::ErrorKind::kUsage && message.starts_with("m: ") &&
                      std::count(message.begin(), message.end(), '\n') == 0;
    if (!fits) std::abort();
  }
  return 0;
}
