#include "engine/gguf/encoded_metadata.h"

#include <algorithm>
#include <utility>

namespace assay {

EncodedMetadata EncodedMetadata::copy_of(const GgufMetadata& metadata) {
  EncodedMetadata copy;
  copy.pairs_.reserve(metadata.entries().size());
  for (const GgufMetadata::Entry& entry : metadata.entries()) {
    copy.pairs_.push_back({std::string(entry.key), encoded(entry.value)});
  }
  return copy;
}

std::string EncodedMetadata::array_head(GgufType element, std::uint64_t count) {
  return number(static_cast<std::uint32_t>(GgufType::kArray)) +
         number(static_cast<std::uint32_t>(element)) + number(count);
}

void EncodedMetadata::set(std::string_view key, std::string_view value) {
  std::string encoded = number(static_cast<std::uint32_t>(GgufType::kString));
  put(key, encoded.append(number(std::uint64_t{value.size()})).append(value));
}

void EncodedMetadata::set_strings(std::string_view key, std::span<const std::string> values) {
  std::string encoded = array_head(GgufType::kString, values.size());
  for (const std::string& value : values) {
    encoded.append(number(std::uint64_t{value.size()})).append(value);
  }
  put(key, std::move(encoded));
}

std::string EncodedMetadata::encoded(const GgufValue& value) {
  std::string text = value.type == GgufType::kArray
                         ? array_head(value.element, value.count)
                         : number(static_cast<std::uint32_t>(value.type));
  if (value.type == GgufType::kString) text += number(std::uint64_t{value.bytes.size()});
  return text.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
}

bool EncodedMetadata::has(std::string_view key) const {
  return std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& p) { return p.key == key; });
}

std::string EncodedMetadata::bytes() const {
  std::string all;
  for (const Pair& pair : pairs_) {
    all.append(number(std::uint64_t{pair.key.size()})).append(pair.key).append(pair.value);
  }
  return all;
}

void EncodedMetadata::put(std::string_view key, std::string value) {
  for (Pair& pair : pairs_) {
    if (pair.key != key) continue;
    pair.value = std::move(value);
    return;
  }
  pairs_.push_back({std::string(key), std::move(value)});
}

}  // namespace assay
