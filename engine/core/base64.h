// Standard base64 with padding (RFC 4648), for bytes inside JSON.
#pragma once

#include <optional>
#include <string>

namespace assay {

std::string to_base64(const std::string& bytes);
// Nothing unless `text` is exactly what to_base64 writes for some bytes: no blanks, no line ends,
// full padding, unused bits zero. So one content has one text, and hashes of texts can be compared.
std::optional<std::string> from_base64(const std::string& text);

}  // namespace assay
