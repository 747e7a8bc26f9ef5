// The key-value pairs of a GGUF: all thirteen value types, arrays of arrays included.
//
// Parsing checks every length once and stores, per key, its type and where its bytes lie; values
// are decoded when asked for. Nothing is allocated per array element, so a small file cannot ask
// for much memory. Decoding all values at load was rejected: a vocabulary would be copied for
// commands that only want the shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/gguf/cursor.h"

namespace assay {

enum class GgufType : std::uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

inline constexpr int kGgufTypes = 13;
// Arrays inside arrays: deeper ones are refused.
inline constexpr std::size_t kDeepestArray = 4;

// "u8", "string", "array".
std::string_view type_name(GgufType type);
// Bytes of a value of fixed size; 0 for strings and arrays.
std::size_t type_bytes(GgufType type);

// One value; a view into the file.
struct GgufValue {
  GgufType type = GgufType::kU8;
  GgufType element = GgufType::kU8;  // arrays: the type of their elements
  std::uint64_t count = 1;           // arrays: how many elements
  std::uint64_t offset = 0;          // byte of the file at which `bytes` starts
  std::span<const std::byte> bytes;  // the value; without an array's type and count

  // Of scalars; nothing when the value is of another kind or does not fit.
  std::optional<std::int64_t> as_i64() const;
  std::optional<std::uint64_t> as_u64() const;
  std::optional<double> as_f64() const;  // f32 and f64 only
  std::optional<bool> as_bool() const;
  std::optional<std::string_view> as_string() const;
  // Of arrays: `visit` gets one value per element, nested arrays included, until it returns false.
  // No list is made: one of the values of a large array of bytes would take fifty times the file.
  void each_element(const std::function<bool(const GgufValue&)>& visit) const;
  // The same as a list, for small arrays; of anything else nothing.
  std::vector<GgufValue> elements() const;
  // "u32", "array of string".
  std::string type_text() const;
};

class GgufMetadata {
 public:
  struct Entry {
    std::string_view key;
    GgufValue value;
  };

  // Reads `count` pairs at the cursor. Error(kUsage) at the first fault.
  static GgufMetadata read(Cursor& cursor, std::uint64_t count,
                           std::span<const std::byte> file_bytes);

  const std::vector<Entry>& entries() const { return entries_; }  // in the file's order
  const GgufValue* find(std::string_view key) const;

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

}  // namespace assay
