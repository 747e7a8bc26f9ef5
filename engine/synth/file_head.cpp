// The head of a synthetic GGUF: metadata and the table of tensors.
#include <type_traits>

#include "engine/gguf/metadata.h"
#include "engine/synth/image.h"

namespace assay {
namespace {

constexpr std::uint64_t kAlignment = 32;

class HeadWriter {
 public:
  template <typename T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void raw(std::string_view text) { bytes_ += text; }
  void string(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    raw(text);
  }
  void pad() { bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Pairs are counted, since the count stands before them.
class MetadataWriter {
 public:
  void text(std::string_view key, std::string_view value) {
    begin(key, GgufType::kString);
    pairs_.string(value);
  }
  void number(std::string_view key, std::int64_t value) {
    begin(key, GgufType::kU32);
    pairs_.put(static_cast<std::uint32_t>(value));
  }
  void real(std::string_view key, float value) {
    begin(key, GgufType::kF32);
    pairs_.put(value);
  }
  std::uint64_t count() const { return count_; }
  const std::string& bytes() const { return pairs_.bytes(); }

 private:
  void begin(std::string_view key, GgufType type) {
    pairs_.string(key);
    pairs_.put(static_cast<std::uint32_t>(type));
    ++count_;
  }
  HeadWriter pairs_;
  std::uint64_t count_ = 0;
};

// llama.cpp's numbers of file types.
std::int64_t file_type(SynthQuant quant) {
  switch (quant) {
    case SynthQuant::kQ4KM:
      return 15;
    case SynthQuant::kQ8_0:
      return 7;
    case SynthQuant::kF16:
      return 1;
  }
  return 0;
}

MetadataWriter metadata_of(const SynthModel& model) {
  const SynthShape& shape = *model.shape;
  const auto key = [&](const char* part) { return std::string(shape.architecture) + "." + part; };
  MetadataWriter metadata;
  metadata.text("general.architecture", shape.architecture);
  metadata.text("general.name", name_of(model));
  metadata.number("general.file_type", file_type(model.quant));
  metadata.number("general.quantization_version", 2);
  metadata.number(key("block_count"), shape.layers);
  metadata.number(key("context_length"), shape.context);
  metadata.number(key("embedding_length"), shape.embedding);
  metadata.number(key("feed_forward_length"), shape.feed_forward);
  metadata.number(key("attention.head_count"), shape.heads);
  metadata.number(key("attention.head_count_kv"), shape.kv_heads);
  metadata.number(key("rope.dimension_count"), shape.head_dim);
  metadata.real(key("rope.freq_base"), static_cast<float>(shape.rope_base));
  metadata.real(key("attention.layer_norm_rms_epsilon"), shape.rms_eps);
  metadata.number(key("vocab_size"), shape.vocab);
  metadata.text("tokenizer.ggml.model", "no_vocab");
  return metadata;
}

}  // namespace

SynthFile synth_file(const SynthModel& model) {
  SynthFile file;
  file.tensors = tensors_of(model);
  const MetadataWriter metadata = metadata_of(model);
  HeadWriter head;
  head.raw("GGUF");
  head.put(std::uint32_t{3});
  head.put(static_cast<std::uint64_t>(file.tensors.size()));
  head.put(metadata.count());
  head.raw(metadata.bytes());
  for (const SynthTensor& tensor : file.tensors) {
    head.string(tensor.name);
    head.put(std::uint32_t{tensor.rows == 0 ? 1u : 2u});
    head.put(std::uint64_t{tensor.columns});
    if (tensor.rows > 0) head.put(std::uint64_t{tensor.rows});
    head.put(static_cast<std::uint32_t>(tensor.dtype));
    head.put(tensor.offset);
  }
  head.pad();
  file.head = head.bytes();
  const SynthTensor& last = file.tensors.back();
  const std::uint64_t end = file.head.size() + last.offset + last.bytes();
  file.size = (end + kAlignment - 1) / kAlignment * kAlignment;
  return file;
}

}  // namespace assay
