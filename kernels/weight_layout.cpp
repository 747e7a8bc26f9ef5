#include "kernels/weight_layout.h"

#include <cstring>

namespace assay {
namespace {

template <typename Copy>
void for_each_field(DType dtype, std::int64_t blocks, const Copy& copy) {
  const std::span<const PlaneField> fields = plane_fields_of(dtype);
  const auto block_bytes = static_cast<std::int64_t>(traits(dtype).block_bytes);
  for (int f = 0; f < static_cast<int>(fields.size()); ++f) {
    const PlaneField field = fields[static_cast<std::size_t>(f)];
    const std::int64_t plane = plane_offset(fields, f, blocks);
    for (std::int64_t b = 0; b < blocks; ++b) {
      copy(b * block_bytes + field.offset, plane + b * field.bytes,
           static_cast<std::size_t>(field.bytes));
    }
  }
}

}  // namespace

void to_planes(DType dtype, const std::byte* raw, std::int64_t blocks, std::byte* planes) {
  for_each_field(dtype, blocks, [&](std::int64_t from, std::int64_t to, std::size_t bytes) {
    std::memcpy(planes + to, raw + from, bytes);
  });
}

void from_planes(DType dtype, const std::byte* planes, std::int64_t blocks, std::byte* raw) {
  for_each_field(dtype, blocks, [&](std::int64_t to, std::int64_t from, std::size_t bytes) {
    std::memcpy(raw + to, planes + from, bytes);
  });
}

}  // namespace assay
