// How blobs are stored: zstd, one fixed level. Bytes that came in by import are kept as they are,
// so another version of the library never changes a committed file.
#pragma once

#include <string>

namespace assay {

std::string compress(const std::string& content);
// Error(kCheckFound) when the bytes are not one zstd frame of at most 256 MiB.
std::string decompress(const std::string& zstd);

}  // namespace assay
