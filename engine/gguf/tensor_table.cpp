#include "engine/gguf/tensor_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace assay {
namespace {

constexpr std::uint64_t kLeastInfoBytes = 8 + 1 + 4 + 8 + 4 + 8;  // name, dims, ne[0], type, offset
constexpr std::size_t kLongestName = 64;
constexpr std::uint32_t kMostDims = 4;
constexpr std::uint64_t kMostElements =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

// A description as read, with where its fields stand, for messages.
struct Info {
  GgufTensor tensor;
  std::uint64_t offset_at = 0;   // byte at which the offset field stands
  std::uint64_t in_section = 0;  // the offset field: from the start of the data section
  std::uint64_t bytes = 0;       // of data; 0 when the type is unknown
};

std::string_view read_name(Cursor& cursor) {
  const std::uint64_t at = cursor.offset();
  const std::string_view name = cursor.read_string("name");
  if (name.empty()) cursor.fail("name", at, "is empty");
  if (name.size() > kLongestName) {
    cursor.fail("name", at, fmt::format("has {} bytes, {} are allowed", name.size(), kLongestName));
  }
  return name;
}

void read_shape(Cursor& cursor, GgufTensor& tensor) {
  const std::uint64_t at = cursor.offset();
  const auto dims = cursor.read<std::uint32_t>("dimension count");
  if (dims < 1 || dims > kMostDims) {
    cursor.fail("dimension count", at, fmt::format("is {}, 1 to {} are allowed", dims, kMostDims));
  }
  tensor.dims = static_cast<int>(dims);
  std::uint64_t elements = 1;
  for (std::uint32_t i = 0; i < dims; ++i) {
    const std::string part = fmt::format("dimension {}", i);
    const std::uint64_t dim_at = cursor.offset();
    const auto extent = cursor.read<std::uint64_t>(part);
    if (extent == 0) cursor.fail(part, dim_at, "is 0");
    if (extent > kMostElements / elements) {
      cursor.fail(part, dim_at,
                  fmt::format("is {}, which makes more than 2^63 - 1 elements", extent));
    }
    elements *= extent;
    tensor.ne[i] = extent;
  }
}

// The type, and with it the size of the data.
void read_type(Cursor& cursor, Info& info) {
  GgufTensor& tensor = info.tensor;
  tensor.type_at = cursor.offset();
  tensor.type_number = cursor.read<std::uint32_t>("type");
  tensor.dtype = dtype_from_gguf(tensor.type_number);
  if (!tensor.dtype) return;
  const DTypeTraits& t = traits(*tensor.dtype);
  const auto block = static_cast<std::uint64_t>(t.block);
  const auto block_bytes = static_cast<std::uint64_t>(t.block_bytes);
  if (tensor.ne[0] % block != 0) {
    cursor.fail("type", tensor.type_at,
                fmt::format("is {}, which comes in blocks of {}, but dimension 0 is {}", t.name,
                            block, tensor.ne[0]));
  }
  const std::uint64_t blocks = tensor.elements() / block;
  if (blocks > kMostElements / block_bytes) {
    cursor.fail("type", tensor.type_at,
                fmt::format("is {}, which makes {} elements more than 2^63 - 1 bytes", t.name,
                            tensor.elements()));
  }
  info.bytes = blocks * block_bytes;
}

Info read_info(Cursor& cursor, std::uint64_t alignment) {
  Info info;
  read_shape(cursor, info.tensor);
  read_type(cursor, info);
  info.offset_at = cursor.offset();
  info.in_section = cursor.read<std::uint64_t>("offset");
  if (info.in_section % alignment != 0) {
    cursor.fail(
        "offset", info.offset_at,
        fmt::format("is {}, not a multiple of the alignment {}", info.in_section, alignment));
  }
  return info;
}

void enter(Cursor& cursor, const GgufTensor& tensor) {
  cursor.place = {Place::Section::kTensor, tensor.index, tensor.name, {}};
}

// Where the data section starts: the end of the table, rounded up to the alignment.
std::uint64_t section_start(std::uint64_t table_end, std::uint64_t alignment) {
  return table_end + (alignment - table_end % alignment) % alignment;  // alignment is 32 bits wide
}

void place_data(Cursor& cursor, Info& info, std::uint64_t start,
                std::span<const std::byte> file_bytes) {
  const std::uint64_t section = file_bytes.size() > start ? file_bytes.size() - start : 0;
  // A type of unknown geometry still has at least one byte.
  const std::uint64_t bytes = std::max<std::uint64_t>(info.bytes, 1);
  if (info.in_section > section || bytes > section - info.in_section) {
    enter(cursor, info.tensor);
    cursor.fail("offset", info.offset_at,
                fmt::format("is {} with {} bytes of data, the data section at byte {} has {} bytes",
                            info.in_section, bytes, start, section),
                "the file is incomplete, fetch it again");
  }
  info.tensor.offset = start + info.in_section;
  info.tensor.data = file_bytes.subspan(info.tensor.offset, info.bytes);
}

void check_overlap(Cursor& cursor, const std::vector<Info>& infos) {
  std::vector<std::size_t> order(infos.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return infos[a].in_section < infos[b].in_section;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Info& before = infos[order[i - 1]];
    const Info& info = infos[order[i]];
    const std::uint64_t end = before.in_section + std::max<std::uint64_t>(before.bytes, 1);
    if (info.in_section >= end) continue;
    enter(cursor, info.tensor);
    cursor.fail("offset", info.offset_at,
                fmt::format("is {}, inside the data of tensor {} {}, which ends at {}",
                            info.in_section, before.tensor.index, quoted(before.tensor.name), end));
  }
}

void check_trailing(Cursor& cursor, const std::vector<Info>& infos, std::uint64_t table_end,
                    std::uint64_t alignment, std::uint64_t file_size) {
  std::uint64_t end = table_end;
  for (const Info& info : infos) {
    if (!info.tensor.dtype) return;  // how far it reaches is not known
    end = std::max(end, info.tensor.offset + info.bytes);
  }
  if (file_size <= section_start(end, alignment)) return;
  cursor.place = {};
  cursor.fail("end of the data", end,
              fmt::format("is followed by {} bytes, fewer than the alignment {} are allowed",
                          file_size - end, alignment));
}

}  // namespace

std::string GgufTensor::shape_text() const {
  return fmt::format("[{}]", fmt::join(ne.begin(), ne.begin() + dims, ", "));
}

GgufTensorTable GgufTensorTable::read(Cursor& cursor, std::uint64_t count, std::uint64_t alignment,
                                      std::span<const std::byte> file_bytes) {
  if (count > cursor.left() / kLeastInfoBytes) {
    cursor.place = {};
    cursor.fail("tensor count", 8,
                fmt::format("is {}, the {} bytes left in the file hold at most {}", count,
                            cursor.left(), cursor.left() / kLeastInfoBytes));
  }
  GgufTensorTable table;
  std::vector<Info> infos;
  infos.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    cursor.place = {Place::Section::kTensor, i, {}, {}};
    const std::uint64_t at = cursor.offset();
    const std::string_view name = read_name(cursor);
    cursor.place.name = name;
    const auto [earlier, added] = table.index_.emplace(name, i);
    if (!added) {
      cursor.fail("name", at, fmt::format("was already used by tensor {}", earlier->second));
    }
    infos.push_back(read_info(cursor, alignment));
    infos.back().tensor.name = name;
    infos.back().tensor.index = i;
  }
  const std::uint64_t table_end = cursor.offset();
  const std::uint64_t start = section_start(table_end, alignment);
  for (Info& info : infos) place_data(cursor, info, start, file_bytes);
  check_overlap(cursor, infos);
  check_trailing(cursor, infos, table_end, alignment, file_bytes.size());
  table.tensors_.reserve(infos.size());
  for (const Info& info : infos) table.tensors_.push_back(info.tensor);
  return table;
}

const GgufTensor* GgufTensorTable::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

}  // namespace assay
