// The tensors of a GGUF: their descriptions and where their data lies.
//
// Rules, checked before any data is touched: 1 to 4 dimensions, none zero, products that fit;
// ne[0] a multiple of the type's block; offsets multiples of the alignment; data inside the file,
// no two overlapping; names unique. Gaps between tensors are accepted. After the last tensor fewer
// bytes than one alignment unit may follow (writers pad the end); more means that the file was
// spliced or its table was cut, and is refused. A type that this engine does not compute with is
// no fault of the file: it is refused by GgufFile::require_tensor, when the tensor is wanted. The
// geometry of types is known for those in core/dtype.h; of others only the start is checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/dtype.h"
#include "engine/gguf/cursor.h"

namespace assay {

struct GgufTensor {
  std::string_view name;
  int dims = 1;                                 // 1 to 4
  std::array<std::uint64_t, 4> ne{1, 1, 1, 1};  // ne[0] is the fastest; 1 beyond dims
  std::uint32_t type_number = 0;                // as it stands in the file
  std::uint64_t type_at = 0;                    // byte of the file at which type_number stands
  std::uint64_t index = 0;                      // in the file's table
  std::optional<DType> dtype;                   // nothing when the engine does not know the type
  std::uint64_t offset = 0;                     // of the data, from the start of the file
  std::span<const std::byte> data;              // rows of ne[0]; empty when dtype is nothing

  std::uint64_t elements() const { return ne[0] * ne[1] * ne[2] * ne[3]; }
  // "[512, 4096]", ne[0] first.
  std::string shape_text() const;
};

class GgufTensorTable {
 public:
  // Reads `count` descriptions at the cursor, then checks where their data lies. `alignment` is in
  // bytes. Error(kUsage) at the first fault.
  static GgufTensorTable read(Cursor& cursor, std::uint64_t count, std::uint64_t alignment,
                              std::span<const std::byte> file_bytes);

  const std::vector<GgufTensor>& tensors() const { return tensors_; }  // in the file's order
  const GgufTensor* find(std::string_view name) const;

 private:
  std::vector<GgufTensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

}  // namespace assay
