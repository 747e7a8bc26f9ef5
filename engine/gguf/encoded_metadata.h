// Key-value pairs in the form in which a GGUF file holds them, to be changed and written.
//
// Pairs keep their order; setting a key that is there keeps its place. A copy of a file's metadata
// gives the file's own bytes again.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/gguf/metadata.h"

namespace assay {

// The GGUF type that holds a T; T is one of the eleven scalars of GgufType.
template <typename T>
constexpr GgufType gguf_type_of() {
  if constexpr (std::is_same_v<T, bool>) return GgufType::kBool;
  if constexpr (std::is_same_v<T, float>) return GgufType::kF32;
  if constexpr (std::is_same_v<T, double>) return GgufType::kF64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return GgufType::kU8;
  if constexpr (std::is_same_v<T, std::int8_t>) return GgufType::kI8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return GgufType::kU16;
  if constexpr (std::is_same_v<T, std::int16_t>) return GgufType::kI16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return GgufType::kU32;
  if constexpr (std::is_same_v<T, std::int32_t>) return GgufType::kI32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return GgufType::kU64;
  if constexpr (std::is_same_v<T, std::int64_t>) return GgufType::kI64;
}

class EncodedMetadata {
 public:
  static EncodedMetadata copy_of(const GgufMetadata& metadata);

  // Key: 1 to 65535 bytes.
  template <typename T>
  requires std::is_arithmetic_v<T>
  void set(std::string_view key, T value) {
    std::string encoded = number(static_cast<std::uint32_t>(gguf_type_of<T>()));
    put(key, encoded += number(value));
  }
  void set(std::string_view key, std::string_view value);
  template <typename T>
  void set_array(std::string_view key, std::span<const T> values) {
    std::string encoded = array_head(gguf_type_of<T>(), values.size());
    for (const T value : values) encoded += number(value);
    put(key, std::move(encoded));
  }
  void set_strings(std::string_view key, std::span<const std::string> values);

  bool has(std::string_view key) const;
  std::uint64_t count() const { return pairs_.size(); }
  std::string bytes() const;  // the file's metadata section

 private:
  struct Pair {
    std::string key;
    std::string value;  // type and what follows
  };
  template <typename T>
  static std::string number(T value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  }
  static std::string encoded(const GgufValue& value);  // nested arrays included
  static std::string array_head(GgufType element, std::uint64_t count);
  void put(std::string_view key, std::string value);

  std::vector<Pair> pairs_;
};

}  // namespace assay
