#include "engine/gguf/file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/gguf/header.h"
#include "engine/gguf/type_name.h"

namespace assay {
namespace {

constexpr std::string_view kAlignmentKey = "general.alignment";
constexpr std::string_view kSplitCountKey = "split.count";
constexpr std::uint32_t kDefaultAlignment = 32;
// GGUF demands a multiple of 8, and floats are read in place.
constexpr std::uint64_t kLeastAlignment = 8;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::kUsage, message);
}

// The integer as T, or nothing when the value is no integer or out of T's range.
template <typename T>
std::optional<T> integer_as(const GgufValue& value) {
  if constexpr (std::is_unsigned_v<T>) {
    const std::optional<std::uint64_t> wide = value.as_u64();
    if (!wide || *wide > std::numeric_limits<T>::max()) return {};
    return static_cast<T>(*wide);
  } else {
    const std::optional<std::int64_t> wide = value.as_i64();
    if (!wide || *wide < std::numeric_limits<T>::min() || *wide > std::numeric_limits<T>::max()) {
      return {};
    }
    return static_cast<T>(*wide);
  }
}

std::optional<float> float_as(const GgufValue& value) {
  const std::optional<double> wide = value.as_f64();
  if (!wide) return {};
  // Infinities and NaN pass; a finite double that no float can hold does not.
  const bool finite = *wide - *wide == 0.0;
  if (finite &&
      (*wide > std::numeric_limits<float>::max() || *wide < std::numeric_limits<float>::lowest())) {
    return {};
  }
  return static_cast<float>(*wide);
}

std::optional<bool> bool_as(const GgufValue& value) {
  return value.as_bool();
}
std::optional<std::string_view> string_as(const GgufValue& value) {
  return value.as_string();
}

}  // namespace

GgufFile::GgufFile(const std::string& name, std::span<const std::byte> bytes)
    : name_(name), bytes_(bytes) {
  Cursor cursor(name, bytes);
  const GgufHeader header = read_header(cursor);
  version_ = header.version;
  metadata_ = GgufMetadata::read(cursor, header.metadata, bytes);
  refuse_split();
  alignment_ = read_alignment();
  tensors_ = GgufTensorTable::read(cursor, header.tensors, alignment_, bytes);
}

GgufFile GgufFile::open(const std::string& path) {
  auto mapped = std::make_unique<MappedFile>(path);
  GgufFile file(path, mapped->bytes());
  mapped->ensure_unchanged();
  file.mapped_ = std::move(mapped);
  return file;
}

GgufFile GgufFile::from_memory(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) fail(name + ": there are no bytes: fetch or convert the model again");
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kLeastAlignment != 0) {
    throw Error(ErrorKind::kInternal,
                fmt::format("{}: the bytes of the model start at an address that is not a multiple "
                            "of {}: align the array that holds them",
                            name, kLeastAlignment));
  }
  return GgufFile(name, bytes);
}

std::uint64_t GgufFile::read_alignment() const {
  const GgufValue* value = metadata_.find(kAlignmentKey);
  if (value == nullptr) return kDefaultAlignment;
  const std::uint32_t alignment = get_u32(kAlignmentKey);
  if (!std::has_single_bit(alignment) || alignment < kLeastAlignment) {
    fail(fmt::format("{}: metadata {} at byte {} is {}, a power of two from {} on is needed: {}",
                     name_, quoted(kAlignmentKey), value->offset, alignment, kLeastAlignment,
                     kDamaged));
  }
  return alignment;
}

// A split model's parts carry the count of parts; the first may have no tensors at all.
void GgufFile::refuse_split() const {
  const std::optional<std::uint32_t> parts = find_u32(kSplitCountKey);
  if (!parts || *parts <= 1) return;
  fail(fmt::format(
      "{}: metadata {} at byte {} is {}: this is one part of a split model; merge the "
      "parts with `llama-gguf-split --merge FIRST OUT`, FIRST being the one whose name "
      "ends with -00001-of-{:05}.gguf, and name OUT",
      name_, quoted(kSplitCountKey), metadata_.find(kSplitCountKey)->offset, *parts, *parts));
}

std::string GgufFile::sha256() const {
  return mapped_ ? mapped_->sha256() : sha256_hex(bytes_);
}

void GgufFile::ensure_unchanged() const {
  if (mapped_) mapped_->ensure_unchanged();
}

template <typename T, typename Convert>
std::optional<T> GgufFile::find_as(std::string_view key, std::string_view wanted,
                                   const Convert& convert) const {
  const GgufValue* value = metadata_.find(key);
  if (value == nullptr) return {};
  const std::optional<T> result = convert(*value);
  if (result) return result;
  std::string what = value->type_text();
  if (value->as_i64()) what += fmt::format(" of {}", *value->as_i64());
  fail(fmt::format("{}: metadata {} at byte {} is {}, {} is needed: convert the model again", name_,
                   quoted(key), value->offset, what, wanted));
}

template <typename T, typename Convert>
std::optional<std::vector<T>> GgufFile::find_all(std::string_view key, std::string_view wanted,
                                                 const Convert& convert) const {
  const GgufValue* value = metadata_.find(key);
  if (value == nullptr) return {};
  std::vector<T> result;
  bool fits = value->type == GgufType::kArray;
  if (fits) {
    value->each_element([&](const GgufValue& element) {
      const std::optional<T> one = convert(element);
      fits = one.has_value();
      if (!fits) return false;
      if (result.empty()) result.reserve(value->count);  // not before one of them is known to fit
      result.push_back(*one);
      return true;
    });
  }
  if (fits) return result;
  fail(fmt::format("{}: metadata {} at byte {} is {}, {} is needed: convert the model again", name_,
                   quoted(key), value->offset, value->type_text(), wanted));
}

template <typename T>
T GgufFile::present(std::optional<T> value, std::string_view key) const {
  if (value) return *std::move(value);
  fail(fmt::format("{}: metadata {} is missing: convert the model again", name_, quoted(key)));
}

std::optional<std::uint32_t> GgufFile::find_u32(std::string_view key) const {
  return find_as<std::uint32_t>(key, "a u32", integer_as<std::uint32_t>);
}
std::optional<std::int32_t> GgufFile::find_i32(std::string_view key) const {
  return find_as<std::int32_t>(key, "an i32", integer_as<std::int32_t>);
}
std::optional<std::uint64_t> GgufFile::find_u64(std::string_view key) const {
  return find_as<std::uint64_t>(key, "a u64", integer_as<std::uint64_t>);
}
std::optional<float> GgufFile::find_f32(std::string_view key) const {
  return find_as<float>(key, "an f32", float_as);
}
std::optional<bool> GgufFile::find_bool(std::string_view key) const {
  return find_as<bool>(key, "a bool", bool_as);
}
std::optional<std::string_view> GgufFile::find_string(std::string_view key) const {
  return find_as<std::string_view>(key, "a string", string_as);
}
std::optional<std::vector<std::int64_t>> GgufFile::find_ints(std::string_view key) const {
  return find_all<std::int64_t>(key, "an array of integers", integer_as<std::int64_t>);
}
std::optional<std::vector<float>> GgufFile::find_floats(std::string_view key) const {
  return find_all<float>(key, "an array of f32", float_as);
}
std::optional<std::vector<bool>> GgufFile::find_bools(std::string_view key) const {
  return find_all<bool>(key, "an array of bool", bool_as);
}
std::optional<std::vector<std::string_view>> GgufFile::find_strings(std::string_view key) const {
  return find_all<std::string_view>(key, "an array of strings", string_as);
}

std::uint32_t GgufFile::get_u32(std::string_view key) const {
  return present(find_u32(key), key);
}
std::int32_t GgufFile::get_i32(std::string_view key) const {
  return present(find_i32(key), key);
}
std::uint64_t GgufFile::get_u64(std::string_view key) const {
  return present(find_u64(key), key);
}
float GgufFile::get_f32(std::string_view key) const {
  return present(find_f32(key), key);
}
bool GgufFile::get_bool(std::string_view key) const {
  return present(find_bool(key), key);
}
std::string_view GgufFile::get_string(std::string_view key) const {
  return present(find_string(key), key);
}
std::vector<std::int64_t> GgufFile::get_ints(std::string_view key) const {
  return present(find_ints(key), key);
}
std::vector<float> GgufFile::get_floats(std::string_view key) const {
  return present(find_floats(key), key);
}
std::vector<bool> GgufFile::get_bools(std::string_view key) const {
  return present(find_bools(key), key);
}
std::vector<std::string_view> GgufFile::get_strings(std::string_view key) const {
  return present(find_strings(key), key);
}

const GgufTensor& GgufFile::require_tensor(std::string_view name) const {
  const GgufTensor* tensor = find_tensor(name);
  if (tensor == nullptr) {
    fail(fmt::format("{}: tensor {} is missing: convert the model again", name_, quoted(name)));
  }
  if (!tensor->dtype) {
    std::vector<std::string_view> known;
    for (const DTypeTraits& t : all_dtypes()) known.push_back(t.name);
    fail(
        fmt::format("{}: tensor {} {}: type at byte {} is {}; {} are computed with: fetch another "
                    "quantisation of the model, such as q4_k_m or q8_0",
                    name_, tensor->index, quoted(tensor->name), tensor->type_at,
                    name_of_type(tensor->type_number), fmt::join(known, ", ")));
  }
  return *tensor;
}

}  // namespace assay
