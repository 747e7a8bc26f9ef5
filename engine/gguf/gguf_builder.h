// Writes small GGUF files for tests, valid by default.
//
// ByteWriter puts down raw fields, for files that are wrong on purpose. GgufBuilder collects
// metadata and tensors and writes a file that every reader accepts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/gguf/metadata.h"

namespace assay {

class ByteWriter {
 public:
  template <typename T>
  ByteWriter& put(T value) {
    bytes_.resize(bytes_.size() + sizeof(T));
    std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }
  ByteWriter& u8(std::uint8_t v) { return put(v); }
  ByteWriter& u32(std::uint32_t v) { return put(v); }
  ByteWriter& u64(std::uint64_t v) { return put(v); }
  ByteWriter& raw(std::string_view text) {
    const auto view = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), view.begin(), view.end());
    return *this;
  }
  // A u64 length and the bytes.
  ByteWriter& string(std::string_view text) { return u64(text.size()).raw(text); }
  ByteWriter& type(GgufType t) { return u32(static_cast<std::uint32_t>(t)); }
  ByteWriter& zeros(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  ByteWriter& pad_to(std::size_t multiple) {
    return zeros((multiple - bytes_.size() % multiple) % multiple);
  }
  // Magic, version, counts.
  ByteWriter& header(std::uint64_t tensors, std::uint64_t metadata, std::uint32_t version = 3) {
    return raw("GGUF").u32(version).u64(tensors).u64(metadata);
  }
  // A tensor's description.
  ByteWriter& tensor(std::string_view name, const std::vector<std::uint64_t>& dims,
                     std::uint32_t type_number, std::uint64_t offset) {
    string(name).u32(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t d : dims) u64(d);
    return u32(type_number).u64(offset);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class GgufBuilder {
 public:
  template <typename T>
  GgufBuilder& scalar(std::string_view key, GgufType type, T value) {
    metadata_.string(key).type(type).put(value);
    ++pairs_;
    return *this;
  }
  GgufBuilder& u32(std::string_view key, std::uint32_t v) { return scalar(key, GgufType::kU32, v); }
  GgufBuilder& boolean(std::string_view key, bool v) {
    return scalar<std::uint8_t>(key, GgufType::kBool, v ? 1 : 0);
  }
  GgufBuilder& string(std::string_view key, std::string_view value) {
    metadata_.string(key).type(GgufType::kString).string(value);
    ++pairs_;
    return *this;
  }
  GgufBuilder& strings(std::string_view key, const std::vector<std::string>& values) {
    array_head(key, GgufType::kString, values.size());
    for (const std::string& value : values) metadata_.string(value);
    return *this;
  }
  template <typename T>
  GgufBuilder& array(std::string_view key, GgufType element, const std::vector<T>& values) {
    array_head(key, element, values.size());
    for (const T& value : values) metadata_.put(value);
    return *this;
  }
  // The value's bytes, after its type, as the caller wrote them.
  GgufBuilder& encoded(std::string_view key, GgufType type, const ByteWriter& value) {
    metadata_.string(key).type(type);
    for (const std::byte b : value.bytes()) metadata_.put(b);
    ++pairs_;
    return *this;
  }
  GgufBuilder& tensor(std::string name, std::vector<std::uint64_t> dims, std::uint32_t type_number,
                      std::vector<std::byte> data) {
    tensors_.push_back({std::move(name), std::move(dims), type_number, std::move(data)});
    return *this;
  }
  // What the data is aligned to; to be told to the reader by general.alignment when not 32.
  GgufBuilder& alignment(std::size_t bytes) {
    alignment_ = bytes;
    return *this;
  }

  std::vector<std::byte> build(std::uint32_t version = 3) const {
    ByteWriter file;
    file.header(tensors_.size(), pairs_, version);
    for (const std::byte b : metadata_.bytes()) file.put(b);
    std::uint64_t offset = 0;
    for (const Tensor& t : tensors_) {
      file.tensor(t.name, t.dims, t.type_number, offset);
      offset += (t.data.size() + alignment_ - 1) / alignment_ * alignment_;
    }
    for (const Tensor& t : tensors_) {
      file.pad_to(alignment_);
      for (const std::byte b : t.data) file.put(b);
    }
    return file.bytes();
  }

 private:
  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> dims;
    std::uint32_t type_number;
    std::vector<std::byte> data;
  };
  void array_head(std::string_view key, GgufType element, std::uint64_t count) {
    metadata_.string(key).type(GgufType::kArray).type(element).u64(count);
    ++pairs_;
  }

  ByteWriter metadata_;
  std::uint64_t pairs_ = 0;
  std::vector<Tensor> tensors_;
  std::size_t alignment_ = 32;
};

}  // namespace assay
