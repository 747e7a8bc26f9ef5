#include "engine/gguf/metadata.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace assay {
namespace {

struct TypeTraits {
  std::string_view name;
  std::size_t bytes;        // of a value of fixed size, else 0
  std::size_t least_bytes;  // that a value takes in the file
};

constexpr std::array<TypeTraits, kGgufTypes> kTypes{{
    {"u8", 1, 1},
    {"i8", 1, 1},
    {"u16", 2, 2},
    {"i16", 2, 2},
    {"u32", 4, 4},
    {"i32", 4, 4},
    {"f32", 4, 4},
    {"bool", 1, 1},
    {"string", 0, 8},  // its length
    {"array", 0, 12},  // its element type and count
    {"u64", 8, 8},
    {"i64", 8, 8},
    {"f64", 8, 8},
}};

constexpr std::uint64_t kLeastPairBytes = 8 + 1 + 4 + 1;  // key length, key, type, value
constexpr std::size_t kLongestKey = 65535;

const TypeTraits& traits_of(GgufType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

template <typename T>
T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

GgufType read_type(Cursor& cursor, std::string_view part) {
  const std::uint64_t at = cursor.offset();
  const auto number = cursor.read<std::uint32_t>(part);
  if (number >= kTypes.size()) {
    cursor.fail(part, at, fmt::format("is {}, GGUF knows 0 to {}", number, kTypes.size() - 1));
  }
  return static_cast<GgufType>(number);
}

void check_bool(Cursor& cursor) {
  const std::uint64_t at = cursor.offset();
  const auto value = cursor.read<std::uint8_t>("value");
  if (value > 1) cursor.fail("value", at, fmt::format("is {}, a bool is 0 or 1", value));
}

// Walks over the elements of an array whose head was just read.
void skip_elements(Cursor& cursor, GgufType element, std::uint64_t count);

// Reads an array's element type and count, and steps over its elements.
void read_array(Cursor& cursor, GgufValue& value) {
  if (cursor.place.elements.size() >= kDeepestArray) {
    cursor.fail("value", cursor.offset(),
                fmt::format("is an array inside {} others, {} levels are read",
                            cursor.place.elements.size(), kDeepestArray),
                "write it with fewer levels");
  }
  value.element = read_type(cursor, "array element type");
  value.count = cursor.read_count("array length", traits_of(value.element).least_bytes);
  value.offset = cursor.offset();
  skip_elements(cursor, value.element, value.count);
}

void skip_elements(Cursor& cursor, GgufType element, std::uint64_t count) {
  const std::size_t fixed = traits_of(element).bytes;
  if (fixed != 0 && element != GgufType::kBool) {
    cursor.skip(count * fixed, "array");  // read_count made sure that the product fits
    return;
  }
  cursor.place.elements.push_back(0);
  for (std::uint64_t i = 0; i < count; ++i) {
    cursor.place.elements.back() = i;
    GgufValue ignored;
    if (element == GgufType::kBool) check_bool(cursor);
    if (element == GgufType::kString) cursor.read_string("string");
    if (element == GgufType::kArray) read_array(cursor, ignored);
  }
  cursor.place.elements.pop_back();
}

GgufValue read_value(Cursor& cursor, std::span<const std::byte> file_bytes) {
  GgufValue value;
  value.type = read_type(cursor, "value type");
  value.offset = cursor.offset();
  if (value.type == GgufType::kArray) {
    read_array(cursor, value);
  } else if (value.type == GgufType::kString) {
    const std::string_view text = cursor.read_string("value");
    value.offset = cursor.offset() - text.size();
  } else if (value.type == GgufType::kBool) {
    check_bool(cursor);
  } else {
    cursor.skip(traits_of(value.type).bytes, "value");
  }
  value.bytes = file_bytes.subspan(value.offset, cursor.offset() - value.offset);
  return value;
}

std::string_view read_key(Cursor& cursor) {
  const std::uint64_t at = cursor.offset();
  const std::string_view key = cursor.read_string("key");
  if (key.empty()) cursor.fail("key", at, "is empty");
  if (key.size() > kLongestKey) {
    cursor.fail("key", at, fmt::format("has {} bytes, {} are allowed", key.size(), kLongestKey));
  }
  return key;
}

}  // namespace

std::string_view type_name(GgufType type) {
  return traits_of(type).name;
}

std::size_t type_bytes(GgufType type) {
  return traits_of(type).bytes;
}

std::optional<std::int64_t> GgufValue::as_i64() const {
  switch (type) {
    case GgufType::kU8:
      return load<std::uint8_t>(bytes);
    case GgufType::kI8:
      return load<std::int8_t>(bytes);
    case GgufType::kU16:
      return load<std::uint16_t>(bytes);
    case GgufType::kI16:
      return load<std::int16_t>(bytes);
    case GgufType::kU32:
      return load<std::uint32_t>(bytes);
    case GgufType::kI32:
      return load<std::int32_t>(bytes);
    case GgufType::kI64:
      return load<std::int64_t>(bytes);
    case GgufType::kU64: {
      const auto value = load<std::uint64_t>(bytes);
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return {};
      return static_cast<std::int64_t>(value);
    }
    default:
      return {};
  }
}

std::optional<std::uint64_t> GgufValue::as_u64() const {
  if (type == GgufType::kU64) return load<std::uint64_t>(bytes);
  const std::optional<std::int64_t> value = as_i64();
  if (!value || *value < 0) return {};
  return static_cast<std::uint64_t>(*value);
}

std::optional<double> GgufValue::as_f64() const {
  if (type == GgufType::kF32) return load<float>(bytes);
  if (type == GgufType::kF64) return load<double>(bytes);
  return {};
}

std::optional<bool> GgufValue::as_bool() const {
  if (type != GgufType::kBool) return {};
  return load<std::uint8_t>(bytes) != 0;
}

std::optional<std::string_view> GgufValue::as_string() const {
  if (type != GgufType::kString) return {};
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void GgufValue::each_element(const std::function<bool(const GgufValue&)>& visit) const {
  if (type != GgufType::kArray) return;
  Cursor cursor("", bytes);  // checked when the file was read: it cannot fail here
  for (std::uint64_t i = 0; i < count; ++i) {
    GgufValue item;
    item.type = element;
    std::uint64_t start = cursor.offset();
    if (element == GgufType::kArray) {
      read_array(cursor, item);
      start = item.offset;
    } else if (element == GgufType::kString) {
      start = cursor.offset() + sizeof(std::uint64_t);
      cursor.read_string("string");
    } else {
      cursor.skip(traits_of(element).bytes, "value");
    }
    item.bytes = bytes.subspan(start, cursor.offset() - start);
    item.offset = offset + start;
    if (!visit(item)) return;
  }
}

std::vector<GgufValue> GgufValue::elements() const {
  std::vector<GgufValue> result;
  each_element([&result](const GgufValue& value) {
    result.push_back(value);
    return true;
  });
  return result;
}

std::string GgufValue::type_text() const {
  if (type != GgufType::kArray) return std::string(type_name(type));
  return fmt::format("array of {}", type_name(element));
}

GgufMetadata GgufMetadata::read(Cursor& cursor, std::uint64_t count,
                                std::span<const std::byte> file_bytes) {
  GgufMetadata metadata;
  if (count > cursor.left() / kLeastPairBytes) {
    cursor.fail("metadata count", 16,
                fmt::format("is {}, the {} bytes left in the file hold at most {}", count,
                            cursor.left(), cursor.left() / kLeastPairBytes));
  }
  metadata.entries_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    cursor.place = {Place::Section::kMetadata, i, {}, {}};
    const std::uint64_t at = cursor.offset();
    const std::string_view key = read_key(cursor);
    cursor.place.name = key;
    const auto [earlier, added] = metadata.index_.emplace(key, i);
    if (!added) {
      cursor.fail("key", at, fmt::format("was already used by metadata {}", earlier->second));
    }
    metadata.entries_.push_back({key, read_value(cursor, file_bytes)});
  }
  return metadata;
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &entries_[found->second].value;
}

}  // namespace assay
