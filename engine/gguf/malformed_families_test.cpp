// Families of malformed files: one fault, carried through every type, length and position that it
// can have. As in malformed_test.cpp the whole message is compared, byte offsets included; the last
// test counts that the files are many and different.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/core/error.h"
#include "engine/gguf/file.h"
#include "engine/gguf/gguf_builder.h"

namespace assay {
namespace {

struct Malformed {
  std::string name;
  std::vector<std::byte> bytes;
  std::string message;  // without the leading "m.gguf: "
};
using Family = std::vector<Malformed>;

constexpr std::uint64_t kHuge = ~std::uint64_t{0};
const std::string kFetch = ": the file is damaged, fetch or convert it again";

std::vector<GgufType> all_types() {
  std::vector<GgufType> types;
  for (int i = 0; i < kGgufTypes; ++i) types.push_back(static_cast<GgufType>(i));
  return types;
}

// The header itself cut after each of its bytes.
Family cut_headers() {
  Family family;
  ByteWriter whole;
  whole.header(0, 0);
  for (std::size_t size = 1; size < 24; ++size) {
    const auto [part, at, needs] = size < 4    ? std::tuple("magic", 0, 4)
                                   : size < 8  ? std::tuple("version", 4, 4)
                                   : size < 16 ? std::tuple("tensor count", 8, 8)
                                               : std::tuple("metadata count", 16, 8);
    family.push_back({fmt::format("header_{}", size),
                      {whole.bytes().begin(), whole.bytes().begin() + static_cast<long>(size)},
                      fmt::format("{} at byte {} needs {} bytes, {} are left in the file{}", part,
                                  at, needs, size - static_cast<std::size_t>(at), kFetch)});
  }
  return family;
}

// A value of each fixed size, cut after each of its bytes. Files below 14 bytes of metadata are
// refused for their count already, so zero to seven bytes of a value come after a key of eight.
Family cut_values() {
  Family family;
  for (const GgufType type : all_types()) {
    const std::size_t needs = type == GgufType::kString || type == GgufType::kArray
                                  ? (type == GgufType::kString ? 8 : 4)
                                  : type_bytes(type);
    for (std::size_t there = 0; there < needs; ++there) {
      ByteWriter w;
      w.header(0, 1).string("eightkey").type(type).zeros(there);
      family.push_back(
          {fmt::format("{}_{}", type_name(type), there), w.bytes(),
           fmt::format("metadata 0 \"eightkey\": {} at byte 44 needs {} bytes, {} are left in the "
                       "file{}",
                       type == GgufType::kArray ? "array element type" : "value", needs, there,
                       kFetch)});
    }
  }
  return family;
}

// Arrays of every element type that say one element more than there are, and 2^64 - 1.
Family absurd_arrays() {
  Family family;
  for (const GgufType type : all_types()) {
    const std::size_t least = type == GgufType::kString  ? 8
                              : type == GgufType::kArray ? 12
                                                         : type_bytes(type);
    for (const std::uint64_t count : {std::uint64_t{4}, kHuge}) {
      ByteWriter w;
      w.header(0, 1).string("k").type(GgufType::kArray).type(type).u64(count).zeros(3 * least);
      family.push_back(
          {fmt::format("array_{}_{}", type_name(type), count), w.bytes(),
           fmt::format("metadata 0 \"k\": array length at byte 41 is {}, the {} bytes left in the "
                       "file hold at most 3{}",
                       count, 3 * least, kFetch)});
    }
  }
  return family;
}

// Types that do not exist, as a value's and as an element's.
Family unknown_types() {
  Family family;
  for (const std::uint32_t number : {13u, 14u, 255u, 256u, 0x08000000u, 0x7fffffffu, 0xffffffffu}) {
    ByteWriter value;
    value.header(0, 1).string("k").u32(number).zeros(16);
    family.push_back({fmt::format("value_type_{}", number), value.bytes(),
                      fmt::format("metadata 0 \"k\": value type at byte 33 is {}, GGUF knows 0 to "
                                  "12{}",
                                  number, kFetch)});
    ByteWriter element;
    element.header(0, 1).string("k").type(GgufType::kArray).u32(number).u64(1).zeros(16);
    family.push_back({fmt::format("element_type_{}", number), element.bytes(),
                      fmt::format("metadata 0 \"k\": array element type at byte 37 is {}, GGUF "
                                  "knows 0 to 12{}",
                                  number, kFetch)});
  }
  return family;
}

// A bool that is neither 0 nor 1, alone and as an element.
Family odd_bools() {
  Family family;
  for (const int value : {2, 3, 127, 128, 254, 255}) {
    ByteWriter w;
    w.header(0, 1).string("k").type(GgufType::kArray).type(GgufType::kBool).u64(3);
    w.u8(0).u8(1).u8(static_cast<std::uint8_t>(value));
    family.push_back({fmt::format("bool_{}", value), w.bytes(),
                      fmt::format("metadata 0 \"k\": element [2] value at byte 51 is {}, a bool is "
                                  "0 or 1{}",
                                  value, kFetch)});
  }
  return family;
}

Family odd_alignments() {
  Family family;
  for (const std::uint32_t a : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 9u, 12u, 24u, 33u, 48u, 0xfffffff8u,
                                0x80000001u, 0xffffffffu}) {
    ByteWriter w;
    w.header(0, 1).string("general.alignment").type(GgufType::kU32).u32(a);
    family.push_back({fmt::format("alignment_{}", a), w.bytes(),
                      fmt::format("metadata \"general.alignment\" at byte 53 is {}, a power of two "
                                  "from 8 on is needed{}",
                                  a, kFetch)});
  }
  return family;
}

// Keys that the reader itself uses, with values of a type that they cannot have.
Family wrong_types() {
  Family family;
  for (const std::string key : {"general.alignment", "split.count"}) {
    const std::size_t at = 24 + 8 + key.size() + 4;
    for (const GgufType type :
         {GgufType::kF32, GgufType::kF64, GgufType::kBool, GgufType::kString, GgufType::kArray}) {
      ByteWriter w;
      w.header(0, 1).string(key).type(type).zeros(type == GgufType::kArray    ? 12
                                                  : type == GgufType::kString ? 8
                                                                              : type_bytes(type));
      const std::size_t skipped = type == GgufType::kArray ? 12 : type == GgufType::kString ? 8 : 0;
      family.push_back(
          {fmt::format("{}_{}", key.substr(0, 5), type_name(type)), w.bytes(),
           fmt::format("metadata \"{}\" at byte {} is {}{}, a u32 is needed: convert the model "
                       "again",
                       key, at + skipped, type_name(type),
                       type == GgufType::kArray ? " of u8" : "")});
    }
    ByteWriter negative;
    negative.header(0, 1).string(key).type(GgufType::kI64).u64(kHuge);
    family.push_back(
        {key.substr(0, 5) + "_negative", negative.bytes(),
         fmt::format("metadata \"{}\" at byte {} is i64 of -1, a u32 is needed: convert "
                     "the model again",
                     key, at)});
  }
  return family;
}

// A tensor's file: header, one description, padding, data.
std::vector<std::byte> one_tensor(const std::vector<std::uint64_t>& ne, std::uint32_t type,
                                  std::size_t data) {
  ByteWriter w;
  w.header(1, 0).tensor("a", ne, type, 0).pad_to(32).zeros(data);
  return w.bytes();
}

// Zero at each place of each number of dimensions; products that wrap at each place.
Family odd_dimensions() {
  Family family;
  for (std::size_t dims = 1; dims <= 4; ++dims) {
    for (std::size_t zero = 0; zero < dims; ++zero) {
      std::vector<std::uint64_t> ne(dims, 1);
      ne[zero] = 0;
      family.push_back({fmt::format("zero_{}_of_{}", zero, dims), one_tensor(ne, 0, 4),
                        fmt::format("tensor 0 \"a\": dimension {} at byte {} is 0{}", zero,
                                    37 + 8 * zero, kFetch)});
    }
    for (std::size_t last = 0; last < dims; ++last) {  // 2^(63 - 8 last) after `last` of 2^8
      std::vector<std::uint64_t> ne(dims, 1);
      for (std::size_t i = 0; i < last; ++i) ne[i] = 256;
      ne[last] = std::uint64_t{1} << (63 - 8 * last);
      family.push_back(
          {fmt::format("wraps_{}_of_{}", last, dims), one_tensor(ne, 0, 4),
           fmt::format(
               "tensor 0 \"a\": dimension {} at byte {} is {}, which makes more than 2^63 - "
               "1 elements{}",
               last, 37 + 8 * last, ne[last], kFetch)});
    }
  }
  return family;
}

// Every type that is computed with: rows that are no whole blocks, data that lacks one byte, and
// sizes in bytes that wrap.
Family odd_tensors() {
  Family family;
  for (const DTypeTraits& t : all_dtypes()) {
    const auto type = static_cast<std::uint32_t>(t.dtype);
    const auto block = static_cast<std::uint64_t>(t.block);
    for (const std::uint64_t more : {std::uint64_t{1}, block - 1}) {
      if (block == 1 || (more == 1 && block == 2)) continue;
      family.push_back(
          {fmt::format("{}_rows_{}", t.suffix, more), one_tensor({block + more, 2}, type, 999),
           fmt::format("tensor 0 \"a\": type at byte 53 is {}, which comes in blocks of {}, but "
                       "dimension 0 is {}{}",
                       t.name, block, block + more, kFetch)});
    }
    const auto bytes = static_cast<std::size_t>(3 * t.block_bytes);
    family.push_back(
        {fmt::format("{}_cut", t.suffix), one_tensor({block, 3}, type, bytes - 1),
         fmt::format("tensor 0 \"a\": offset at byte 57 is 0 with {} bytes of data, the "
                     "data section at byte 96 has {} bytes: the file is incomplete, "
                     "fetch it again",
                     bytes, bytes - 1)});
    if (t.block_bytes < 2 * t.block) continue;  // the bytes of 2^62 elements fit then
    const std::uint64_t rows = (std::uint64_t{1} << 62) / block;
    family.push_back({fmt::format("{}_wraps", t.suffix), one_tensor({block, rows}, type, 64),
                      fmt::format("tensor 0 \"a\": type at byte 53 is {}, which makes {} elements "
                                  "more than 2^63 - 1 bytes{}",
                                  t.name, block * rows, kFetch)});
  }
  return family;
}

// Two tensors that share bytes, by each possible distance, in both orders.
Family overlaps() {
  Family family;
  for (const std::uint64_t at : {0u, 32u, 64u, 96u}) {
    for (const bool long_first : {true, false}) {
      ByteWriter w;
      w.header(2, 0);
      if (long_first) w.tensor("long", {32}, 0, 0).tensor("late", {8}, 0, at);
      if (!long_first) w.tensor("late", {8}, 0, at).tensor("long", {32}, 0, 0);
      w.pad_to(32).zeros(160);
      // At equal offsets the later of the table is the one named.
      const bool names_late = at > 0 || long_first;
      const std::string inside = names_late ? "long" : "late";
      const std::uint64_t end = names_late ? 128 : 32;
      const int index = names_late == long_first ? 1 : 0;
      family.push_back({fmt::format("overlap_{}_{}", at, long_first), w.bytes(),
                        fmt::format("tensor {} \"{}\": offset at byte {} is {}, inside the data of "
                                    "tensor {} \"{}\", which ends at {}{}",
                                    index, names_late ? "late" : "long", 24 + 36 * (index + 1) - 8,
                                    at, 1 - index, inside, end, kFetch)});
    }
  }
  return family;
}

// Nested arrays whose innermost length is absurd, at each depth that is read, and one level more.
Family deep_arrays() {
  Family family;
  for (std::size_t depth = 1; depth <= kDeepestArray + 1; ++depth) {
    ByteWriter w;
    w.header(0, 1).string("k").type(GgufType::kArray);
    for (std::size_t i = 1; i < depth; ++i) w.type(GgufType::kArray).u64(1);
    w.type(GgufType::kU64).u64(kHuge).zeros(12);
    std::string element = depth > 1 ? "element " : "";
    for (std::size_t i = 1; i < depth; ++i) element += "[0]";
    if (depth > 1) element += " ";
    family.push_back(
        {fmt::format("depth_{}", depth), w.bytes(),
         depth > kDeepestArray
             ? fmt::format("metadata 0 \"k\": {}value at byte 85 is an array inside 4 others, 4 "
                           "levels are read: write it with fewer levels",
                           element)
             : fmt::format(
                   "metadata 0 \"k\": {}array length at byte {} is {}, the 12 bytes left in "
                   "the file hold at most 1{}",
                   element, 41 + 12 * (depth - 1), kHuge, kFetch)});
  }
  return family;
}

// More bytes after the data than the alignment explains.
Family spliced_ends() {
  Family family;
  for (const std::size_t more : {29u, 32u, 61u, 4096u}) {
    family.push_back({fmt::format("followed_by_{}", more), one_tensor({1}, 0, 4 + more),
                      fmt::format("end of the data at byte 68 is followed by {} bytes, fewer than "
                                  "the alignment 32 are allowed{}",
                                  more, kFetch)});
  }
  return family;
}

Family all_families() {
  Family all;
  for (const auto& make :
       {cut_headers, cut_values, absurd_arrays, unknown_types, odd_bools, odd_alignments,
        wrong_types, odd_dimensions, odd_tensors, overlaps, deep_arrays, spliced_ends}) {
    for (Malformed& file : make()) all.push_back(std::move(file));
  }
  return all;
}

TEST(MalformedFamilies, EveryFileGivesItsMessage) {
  for (const Malformed& file : all_families()) {
    SCOPED_TRACE(file.name);
    try {
      GgufFile::from_memory(file.bytes, "m.gguf");
      ADD_FAILURE() << "the file was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(std::string(error.what()), "m.gguf: " + file.message);
    }
  }
}

TEST(MalformedFamilies, AreManyAndDifferent) {
  std::set<std::string> files;
  std::set<std::string> messages;
  const Family all = all_families();
  for (const Malformed& file : all) {
    files.emplace(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
    messages.insert(file.message);
  }
  EXPECT_EQ(files.size(), all.size());
  EXPECT_GE(files.size(), 200u);
  EXPECT_GE(messages.size(), 150u);
}

}  // namespace
}  // namespace assay
