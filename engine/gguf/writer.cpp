#include "engine/gguf/writer.h"

#include <fmt/format.h>

#include <utility>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;
constexpr std::uint64_t kDefaultAlignment = 32;

template <typename T>
void append(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint64_t padded(std::uint64_t bytes, std::uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Everything before the data, without padding.
std::string head_of(const GgufContent& content) {
  std::string head = "GGUF";
  append(head, content.version);
  append(head, std::uint64_t{content.tensors.size()});
  append(head, content.metadata.count());
  head += content.metadata.bytes();
  std::uint64_t offset = 0;
  for (const GgufTensorPlan& tensor : content.tensors) {
    append(head, std::uint64_t{tensor.name.size()});
    head += tensor.name;
    append(head, static_cast<std::uint32_t>(tensor.ne.size()));
    for (const std::uint64_t extent : tensor.ne) append(head, extent);
    append(head, tensor.type_number);
    append(head, offset);
    offset += padded(tensor.bytes, content.alignment);
  }
  return head;
}

}  // namespace

GgufWriter::GgufWriter(const std::string& path, GgufContent content)
    : file_(NewFile::create(path, "models")), content_(std::move(content)) {
  buffer_.reserve(kBuffer);
  if (content_.alignment != kDefaultAlignment && !content_.metadata.has("general.alignment")) {
    content_.metadata.set("general.alignment", static_cast<std::uint32_t>(content_.alignment));
  }
  put(head_of(content_));
  if (!content_.tensors.empty()) {
    put(std::string(padded(written_, content_.alignment) - written_, '\0'));
  }
  end_tensors();
}

void GgufWriter::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (tensor_ == content_.tensors.size() ||
      bytes.size() > content_.tensors[tensor_].bytes - of_tensor_) {
    throw Error(ErrorKind::kInternal,
                fmt::format("{} bytes are more than tensor {} has left", bytes.size(), tensor_));
  }
  put(bytes);
  of_tensor_ += bytes.size();
  end_tensors();
}

std::uint64_t GgufWriter::finish() {
  if (tensor_ != content_.tensors.size()) {
    throw Error(ErrorKind::kInternal,
                fmt::format("tensor {} has {} of {} bytes", content_.tensors[tensor_].name,
                            of_tensor_, content_.tensors[tensor_].bytes));
  }
  flush();
  file_.keep();
  return written_;
}

void GgufWriter::put(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() > kBuffer) {
    file_.write_at(written_, bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  written_ += bytes.size();
}

void GgufWriter::put(const std::string& bytes) {
  put(std::as_bytes(std::span(bytes)));
}

void GgufWriter::flush() {
  file_.write_at(written_ - buffer_.size(), buffer_);
  buffer_.clear();
}

void GgufWriter::end_tensors() {
  while (tensor_ < content_.tensors.size() && of_tensor_ == content_.tensors[tensor_].bytes) {
    put(std::string(padded(of_tensor_, content_.alignment) - of_tensor_, '\0'));
    of_tensor_ = 0;
    ++tensor_;
  }
}

}  // namespace assay
