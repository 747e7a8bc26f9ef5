// A GGUF model file, version 2 or 3: metadata by key, tensors by name, data as views.
//
// The file is mapped, or given as bytes (the model that ships inside the program). Opening checks
// every count, length and offset against the file before it is used, so that what the accessors
// return lies inside the file; a fault is one Error(kUsage) that names the file, the field, its
// byte offset, what is wrong and what to do. Views live as long as this object (or the bytes given
// to from_memory); moving it keeps them valid.
//
// Rejected: version 1 (its counts have 32 bits; converters gave it up within weeks), big-endian
// files, models split into several files (one mapping is one model here, and merging is one
// command), and repairing anything: a benchmark on a damaged model is worth nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/mapped_file.h"
#include "engine/gguf/metadata.h"
#include "engine/gguf/tensor_table.h"

namespace assay {

class GgufFile {
 public:
  static GgufFile open(const std::string& path);
  // A view: the caller keeps `bytes` alive. They start at a multiple of 8. `name` is for messages.
  static GgufFile from_memory(std::span<const std::byte> bytes, const std::string& name);

  const std::string& name() const { return name_; }  // the path, or the name given
  std::uint64_t size() const { return bytes_.size(); }
  std::uint32_t version() const { return version_; }      // of the format: 2 or 3
  std::uint64_t alignment() const { return alignment_; }  // bytes
  // 64 hex digits over the whole file. Error(kUsage) when it changed since it was opened.
  std::string sha256() const;
  // Error(kUsage) when the file changed since it was opened. Call it after copying weights.
  void ensure_unchanged() const;

  // Metadata. get_*: Error(kUsage) when the key is absent. find_*: nothing when it is absent. Both:
  // Error(kUsage) when the value is of another type or does not fit. Any integer type serves as
  // u32, i32, u64 and in arrays of integers; f32 and f64 serve as f32.
  const GgufMetadata& metadata() const { return metadata_; }
  bool has(std::string_view key) const { return metadata_.find(key) != nullptr; }
  std::uint32_t get_u32(std::string_view key) const;
  std::int32_t get_i32(std::string_view key) const;
  std::uint64_t get_u64(std::string_view key) const;
  float get_f32(std::string_view key) const;
  bool get_bool(std::string_view key) const;
  std::string_view get_string(std::string_view key) const;
  std::vector<std::int64_t> get_ints(std::string_view key) const;
  std::vector<float> get_floats(std::string_view key) const;
  std::vector<bool> get_bools(std::string_view key) const;
  std::vector<std::string_view> get_strings(std::string_view key) const;
  std::optional<std::uint32_t> find_u32(std::string_view key) const;
  std::optional<std::int32_t> find_i32(std::string_view key) const;
  std::optional<std::uint64_t> find_u64(std::string_view key) const;
  std::optional<float> find_f32(std::string_view key) const;
  std::optional<bool> find_bool(std::string_view key) const;
  std::optional<std::string_view> find_string(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> find_ints(std::string_view key) const;
  std::optional<std::vector<float>> find_floats(std::string_view key) const;
  std::optional<std::vector<bool>> find_bools(std::string_view key) const;
  std::optional<std::vector<std::string_view>> find_strings(std::string_view key) const;

  // Tensors, in the file's order.
  const std::vector<GgufTensor>& tensors() const { return tensors_.tensors(); }
  // Null when there is none of this name.
  const GgufTensor* find_tensor(std::string_view name) const { return tensors_.find(name); }
  // One to compute with: `dtype` is set, `data` is whole. Error(kUsage) when the name is absent or
  // the type is not one that the engine computes with.
  const GgufTensor& require_tensor(std::string_view name) const;

 private:
  GgufFile(const std::string& name, std::span<const std::byte> bytes);
  std::uint64_t read_alignment() const;
  void refuse_split() const;
  template <typename T, typename Convert>
  std::optional<T> find_as(std::string_view key, std::string_view wanted,
                           const Convert& convert) const;
  template <typename T, typename Convert>
  std::optional<std::vector<T>> find_all(std::string_view key, std::string_view wanted,
                                         const Convert& convert) const;
  template <typename T>
  T present(std::optional<T> value, std::string_view key) const;

  std::string name_;
  std::unique_ptr<MappedFile> mapped_;  // null when the bytes are somebody else's
  std::span<const std::byte> bytes_;
  std::uint32_t version_ = 3;
  std::uint64_t alignment_ = 32;
  GgufMetadata metadata_;
  GgufTensorTable tensors_;
};

}  // namespace assay
