// Writes a GGUF file: header, metadata and tensor table at once, then the tensors' data as it
// comes.
//
// The file appears only when finish() has seen every byte (NewFile), so a full disk or a kill
// leaves nothing. Tensors lie one after the other, each padded to the alignment, the last too; that
// is how converters lay them out, so that a file of theirs that is read and written again has the
// same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/new_file.h"
#include "engine/gguf/encoded_metadata.h"

namespace assay {

struct GgufTensorPlan {
  std::string name;               // 1 to 64 bytes, unlike every other
  std::vector<std::uint64_t> ne;  // 1 to 4, ne[0] the fastest
  std::uint32_t type_number = 0;  // GGUF's
  std::uint64_t bytes = 0;        // of data
};

struct GgufContent {
  std::uint32_t version = 3;     // or 2
  std::uint64_t alignment = 32;  // another one is written as general.alignment
  EncodedMetadata metadata = {};
  std::vector<GgufTensorPlan> tensors = {};
};

class GgufWriter {
 public:
  // `path` must be free. Error(kUsage) from here on when the file cannot be written.
  GgufWriter(const std::string& path, GgufContent content);

  // The next bytes of the tensors' data, in the order of the table; a piece lies within one tensor.
  void write(std::span<const std::byte> bytes);
  // The file's size. Error(kInternal) when bytes are missing.
  std::uint64_t finish();

 private:
  void put(std::span<const std::byte> bytes);
  void put(const std::string& bytes);
  void flush();
  void end_tensors();  // steps over the tensors that are complete

  NewFile file_;
  GgufContent content_;
  std::vector<std::byte> buffer_;
  std::uint64_t written_ = 0;    // bytes of the file so far, buffered ones included
  std::size_t tensor_ = 0;       // whose data comes next
  std::uint64_t of_tensor_ = 0;  // bytes of it so far
};

}  // namespace assay
