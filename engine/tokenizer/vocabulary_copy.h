// For tests: the vocabulary of a file with some metadata replaced, as a file of its own.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/gguf/file.h"
#include "engine/gguf/gguf_builder.h"

namespace assay {

using MetadataChanges = std::map<std::string, std::variant<bool, std::string>, std::less<>>;

inline std::vector<std::byte> vocabulary_copy(const GgufFile& file,
                                              const MetadataChanges& changes) {
  GgufBuilder builder;
  for (const auto& [key, value] : file.metadata().entries()) {
    if (!key.starts_with("tokenizer.ggml.") || changes.contains(key)) continue;
    ByteWriter bytes;
    if (value.type == GgufType::kArray) bytes.type(value.element).u64(value.count);
    if (value.type == GgufType::kString) {
      bytes.string(value.as_string().value());
    } else {
      bytes.raw({reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
    }
    builder.encoded(key, value.type, bytes);
  }
  for (const auto& [key, value] : changes) {
    if (const bool* flag = std::get_if<bool>(&value)) {
      builder.boolean(key, *flag);
    } else {
      builder.string(key, std::get<std::string>(value));
    }
  }
  return builder.build();
}

}  // namespace assay
