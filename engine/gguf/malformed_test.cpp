// Files with one fault each: the whole message is compared, byte offsets included.
#include <gtest/gtest.h>

#include <functional>

#include "engine/core/error.h"
#include "engine/gguf/file.h"
#include "engine/gguf/gguf_builder.h"

namespace assay {
namespace {

// A short name, what the file holds, and the message without the leading "m.gguf: ".
struct Case {
  std::string name;
  std::function<void(ByteWriter&)> write;
  std::string message;
};

constexpr std::uint64_t kHuge = ~std::uint64_t{0};
constexpr std::uint64_t kBit63 = std::uint64_t{1} << 63;

// Header and one pair's key "k" and type: the value follows at byte 37.
ByteWriter& pair(ByteWriter& w, GgufType type) {
  return w.header(0, 1).string("k").type(type);
}

// A file with these descriptions and `bytes` of data.
void tensors(ByteWriter& w, const std::vector<std::function<void(ByteWriter&)>>& infos,
             std::size_t bytes) {
  w.header(infos.size(), 0);
  for (const auto& info : infos) info(w);
  w.pad_to(32).zeros(bytes);
}

std::vector<Case> header_cases() {
  return {
      {"magic_cut", [](ByteWriter& w) { w.raw("GGU"); },
       "magic at byte 0 needs 4 bytes, 3 are left in the file: the file is damaged, fetch or "
       "convert it again"},
      {"magic_other", [](ByteWriter& w) { w.raw("PK\x03\x04").zeros(40); },
       "magic at byte 0 is \"PK\\x03\\x04\", not \"GGUF\": this is no GGUF file, name a model in "
       "that format"},
      {"magic_old_format", [](ByteWriter& w) { w.raw("tjgg").zeros(40); },
       "magic at byte 0 is \"tjgg\", not \"GGUF\": this is no GGUF file, name a model in that "
       "format"},
      {"magic_big_endian", [](ByteWriter& w) { w.raw("FUGG").zeros(40); },
       "magic at byte 0 has its bytes in big-endian order: only little-endian files are read, "
       "convert it for this machine"},
      {"version_big_endian", [](ByteWriter& w) { w.raw("GGUF").u32(0x03000000).zeros(16); },
       "version at byte 4 has its bytes in big-endian order: only little-endian files are read, "
       "convert it for this machine"},
      {"version_cut", [](ByteWriter& w) { w.raw("GGUF").u8(3); },
       "version at byte 4 needs 4 bytes, 1 are left in the file: the file is damaged, fetch or "
       "convert it again"},
      {"version_0", [](ByteWriter& w) { w.raw("GGUF").u32(0).zeros(16); },
       "version at byte 4 is 0, versions 2 and 3 are read: convert the model again with a current "
       "converter"},
      {"version_1", [](ByteWriter& w) { w.raw("GGUF").u32(1).zeros(16); },
       "version at byte 4 is 1, versions 2 and 3 are read: convert the model again with a current "
       "converter"},
      {"version_4", [](ByteWriter& w) { w.raw("GGUF").u32(4).zeros(16); },
       "version at byte 4 is 4, versions 2 and 3 are read: write the model as version 3"},
      {"tensor_count_cut", [](ByteWriter& w) { w.raw("GGUF").u32(3).u32(0); },
       "tensor count at byte 8 needs 8 bytes, 4 are left in the file: the file is damaged, fetch "
       "or convert it again"},
      {"metadata_count_cut", [](ByteWriter& w) { w.raw("GGUF").u32(3).u64(0); },
       "metadata count at byte 16 needs 8 bytes, 0 are left in the file: the file is damaged, "
       "fetch or convert it again"},
      {"metadata_count_huge", [](ByteWriter& w) { w.header(0, kHuge).zeros(30); },
       "metadata count at byte 16 is 18446744073709551615, the 30 bytes left in the file hold at "
       "most 2: the file is damaged, fetch or convert it again"},
      {"tensor_count_huge", [](ByteWriter& w) { w.header(kBit63, 0).zeros(80); },
       "tensor count at byte 8 is 9223372036854775808, the 80 bytes left in the file hold at most "
       "2: the file is damaged, fetch or convert it again"},
      {"end_followed_by_bytes", [](ByteWriter& w) { w.header(0, 0).zeros(9); },
       "end of the data at byte 24 is followed by 9 bytes, fewer than the alignment 32 are "
       "allowed: the file is damaged, fetch or convert it again"},
  };
}

std::vector<Case> metadata_cases() {
  return {
      {"value_type_cut", [](ByteWriter& w) { w.header(0, 1).string("abcdef"); },
       "metadata 0 \"abcdef\": value type at byte 38 needs 4 bytes, 0 are left in the file: the "
       "file is damaged, fetch or convert it again"},
      {"key_too_long_for_file", [](ByteWriter& w) { w.header(0, 1).u64(kHuge).zeros(10); },
       "metadata 0: key at byte 24 has a length of 18446744073709551615, 10 bytes are left in the "
       "file: the file is damaged, fetch or convert it again"},
      {"key_empty", [](ByteWriter& w) { w.header(0, 1).string("").type(GgufType::kU32).u32(1); },
       "metadata 0: key at byte 24 is empty: the file is damaged, fetch or convert it again"},
      {"key_over_limit",
       [](ByteWriter& w) { w.header(0, 1).string(std::string(65536, 'k')).zeros(8); },
       "metadata 0: key at byte 24 has 65536 bytes, 65535 are allowed: the file is damaged, fetch "
       "or convert it again"},
      {"key_twice",
       [](ByteWriter& w) {
         w.header(0, 2);
         w.string("k").type(GgufType::kU8).u8(1).string("k").type(GgufType::kU8).u8(1);
       },
       "metadata 1 \"k\": key at byte 38 was already used by metadata 0: the file is damaged, "
       "fetch or convert it again"},
      {"value_type_13", [](ByteWriter& w) { w.header(0, 1).string("k").u32(13).zeros(8); },
       "metadata 0 \"k\": value type at byte 33 is 13, GGUF knows 0 to 12: the file is damaged, "
       "fetch or convert it again"},
      {"value_cut", [](ByteWriter& w) { pair(w, GgufType::kF64).u32(0); },
       "metadata 0 \"k\": value at byte 37 needs 8 bytes, 4 are left in the file: the file is "
       "damaged, fetch or convert it again"},
      {"bool_2", [](ByteWriter& w) { pair(w, GgufType::kBool).u8(2); },
       "metadata 0 \"k\": value at byte 37 is 2, a bool is 0 or 1: the file is damaged, fetch or "
       "convert it again"},
      {"bool_element_255",
       [](ByteWriter& w) { pair(w, GgufType::kArray).type(GgufType::kBool).u64(2).u8(1).u8(255); },
       "metadata 0 \"k\": element [1] value at byte 50 is 255, a bool is 0 or 1: the file is "
       "damaged, fetch or convert it again"},
      {"string_too_long", [](ByteWriter& w) { pair(w, GgufType::kString).u64(5).raw("four"); },
       "metadata 0 \"k\": value at byte 37 has a length of 5, 4 bytes are left in the file: the "
       "file is damaged, fetch or convert it again"},
      {"string_length_cut", [](ByteWriter& w) { pair(w, GgufType::kString).u32(5); },
       "metadata 0 \"k\": value at byte 37 needs 8 bytes, 4 are left in the file: the file is "
       "damaged, fetch or convert it again"},
      {"array_type_cut", [](ByteWriter& w) { pair(w, GgufType::kArray).u8(4); },
       "metadata 0 \"k\": array element type at byte 37 needs 4 bytes, 1 are left in the file: the "
       "file is damaged, fetch or convert it again"},
      {"array_type_99", [](ByteWriter& w) { pair(w, GgufType::kArray).u32(99).u64(0); },
       "metadata 0 \"k\": array element type at byte 37 is 99, GGUF knows 0 to 12: the file is "
       "damaged, fetch or convert it again"},
      {"array_length_cut",
       [](ByteWriter& w) { pair(w, GgufType::kArray).type(GgufType::kU8).u32(0); },
       "metadata 0 \"k\": array length at byte 41 needs 8 bytes, 4 are left in the file: the file "
       "is damaged, fetch or convert it again"},
      {"array_length_wraps",  // 2^61 * 8 = 0 modulo 2^64
       [](ByteWriter& w) {
         pair(w, GgufType::kArray).type(GgufType::kU64).u64(std::uint64_t{1} << 61).zeros(16);
       },
       "metadata 0 \"k\": array length at byte 41 is 2305843009213693952, the 16 bytes left in the "
       "file hold at most 2: the file is damaged, fetch or convert it again"},
      {"array_of_strings_length",
       [](ByteWriter& w) {
         pair(w, GgufType::kArray).type(GgufType::kString).u64(1000000).string("a");
       },
       "metadata 0 \"k\": array length at byte 41 is 1000000, the 9 bytes left in the file hold at "
       "most 1: the file is damaged, fetch or convert it again"},
      {"array_string_element",
       [](ByteWriter& w) {
         pair(w, GgufType::kArray).type(GgufType::kString).u64(2).string("ab").u64(7).raw("abc");
       },
       "metadata 0 \"k\": element [1] string at byte 59 has a length of 7, 3 bytes are left in the "
       "file: the file is damaged, fetch or convert it again"},
      {"nested_element_type",
       [](ByteWriter& w) {
         pair(w, GgufType::kArray).type(GgufType::kArray).u64(2);
         w.type(GgufType::kU8).u64(1).u8(0).u32(77).u64(0);
       },
       "metadata 0 \"k\": element [1] array element type at byte 62 is 77, GGUF knows 0 to 12: "
       "the file is damaged, fetch or convert it again"},
      {"nested_length",
       [](ByteWriter& w) {
         pair(w, GgufType::kArray).type(GgufType::kArray).u64(1);
         w.type(GgufType::kU32).u64(kHuge).u32(0);
       },
       "metadata 0 \"k\": element [0] array length at byte 53 is 18446744073709551615, the 4 bytes "
       "left in the file hold at most 1: the file is damaged, fetch or convert it again"},
      {"nested_too_deep",
       [](ByteWriter& w) {
         pair(w, GgufType::kArray);
         for (int i = 0; i < 100; ++i) w.type(GgufType::kArray).u64(1);
       },
       "metadata 0 \"k\": element [0][0][0][0] value at byte 85 is an array inside 4 others, 4 "
       "levels are read: write it with fewer levels"},
      {"key_unprintable",
       [](ByteWriter& w) { w.header(0, 1).string("a\n\"\xff").u32(13).zeros(8); },
       "metadata 0 \"a\\x0a\\\"\\xff\": value type at byte 36 is 13, GGUF knows 0 to 12: the "
       "file is damaged, fetch or convert it again"},
      {"alignment_0",
       [](ByteWriter& w) {
         w.header(0, 1).string("general.alignment").type(GgufType::kU32).u32(0);
       },
       "metadata \"general.alignment\" at byte 53 is 0, a power of two from 8 on is needed: the "
       "file is damaged, fetch or convert it again"},
      {"alignment_48",
       [](ByteWriter& w) {
         w.header(0, 1).string("general.alignment").type(GgufType::kU32).u32(48);
       },
       "metadata \"general.alignment\" at byte 53 is 48, a power of two from 8 on is needed: the "
       "file is damaged, fetch or convert it again"},
      {"alignment_1",
       [](ByteWriter& w) {
         w.header(0, 1).string("general.alignment").type(GgufType::kU32).u32(1);
       },
       "metadata \"general.alignment\" at byte 53 is 1, a power of two from 8 on is needed: the "
       "file is damaged, fetch or convert it again"},
      {"alignment_string",
       [](ByteWriter& w) {
         w.header(0, 1).string("general.alignment").type(GgufType::kString).string("32");
       },
       "metadata \"general.alignment\" at byte 61 is string, a u32 is needed: convert the model "
       "again"},
  };
}

std::vector<Case> tensor_cases() {
  return {
      {"name_empty",
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("", {1}, 0, 0); }}, 4); },
       "tensor 0: name at byte 24 is empty: the file is damaged, fetch or convert it again"},
      {"name_65_bytes",
       [](ByteWriter& w) {
         tensors(w, {[](ByteWriter& t) { t.tensor(std::string(65, 'n'), {1}, 0, 0); }}, 4);
       },
       "tensor 0: name at byte 24 has 65 bytes, 64 are allowed: the file is damaged, fetch or "
       "convert it again"},
      {"name_length", [](ByteWriter& w) { w.header(1, 0).u64(kBit63).zeros(40); },
       "tensor 0: name at byte 24 has a length of 9223372036854775808, 40 bytes are left in the "
       "file: the file is damaged, fetch or convert it again"},
      {"name_twice",
       [](ByteWriter& w) {
         tensors(w,
                 {[](ByteWriter& t) { t.tensor("a", {1}, 0, 0); },
                  [](ByteWriter& t) { t.tensor("a", {1}, 0, 32); }},
                 36);
       },
       "tensor 1 \"a\": name at byte 57 was already used by tensor 0: the file is damaged, fetch "
       "or convert it again"},
      {"dims_0",
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("a", {}, 0, 0); }}, 4); },
       "tensor 0 \"a\": dimension count at byte 33 is 0, 1 to 4 are allowed: the file is damaged, "
       "fetch or convert it again"},
      {"dims_5",
       [](ByteWriter& w) {
         tensors(w, {[](ByteWriter& t) { t.tensor("a", {1, 1, 1, 1, 1}, 0, 0); }}, 4);
       },
       "tensor 0 \"a\": dimension count at byte 33 is 5, 1 to 4 are allowed: the file is damaged, "
       "fetch or convert it again"},
      {"dims_huge", [](ByteWriter& w) { w.header(1, 0).string("a").u32(0xffffffffu).zeros(40); },
       "tensor 0 \"a\": dimension count at byte 33 is 4294967295, 1 to 4 are allowed: the file is "
       "damaged, fetch or convert it again"},
      {"dimension_0_is_0",
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("a", {0}, 0, 0); }}, 4); },
       "tensor 0 \"a\": dimension 0 at byte 37 is 0: the file is damaged, fetch or convert it "
       "again"},
      {"dimension_1_is_0",
       [](ByteWriter& w) {
         tensors(w, {[](ByteWriter& t) { t.tensor("a", {4, 0}, 0, 0); }}, 4);
       },
       "tensor 0 \"a\": dimension 1 at byte 45 is 0: the file is damaged, fetch or convert it "
       "again"},
      {"dimension_negative",
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("a", {kHuge}, 0, 0); }}, 4); },
       "tensor 0 \"a\": dimension 0 at byte 37 is 18446744073709551615, which makes more than "
       "2^63 - 1 elements: the file is damaged, fetch or convert it again"},
      {"product_wraps",  // 2^32 * 2^32 = 0 modulo 2^64
       [](ByteWriter& w) {
         const std::uint64_t d = std::uint64_t{1} << 32;
         tensors(w, {[&](ByteWriter& t) { t.tensor("a", {d, d}, 0, 0); }}, 4);
       },
       "tensor 0 \"a\": dimension 1 at byte 45 is 4294967296, which makes more than 2^63 - 1 "
       "elements: the file is damaged, fetch or convert it again"},
      {"bytes_wrap",  // 2^62 elements of 4 bytes
       [](ByteWriter& w) {
         tensors(w, {[](ByteWriter& t) { t.tensor("a", {std::uint64_t{1} << 62}, 0, 0); }}, 4);
       },
       "tensor 0 \"a\": type at byte 45 is f32, which makes 4611686018427387904 elements more than "
       "2^63 - 1 bytes: the file is damaged, fetch or convert it again"},
      {"q8_0_block",
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("a", {33}, 8, 0); }}, 68); },
       "tensor 0 \"a\": type at byte 45 is q8_0, which comes in blocks of 32, but dimension 0 is "
       "33: the file is damaged, fetch or convert it again"},
      {"q4_k_block",  // 128 x 2 elements make a block, rows do not
       [](ByteWriter& w) {
         tensors(w, {[](ByteWriter& t) { t.tensor("a", {128, 2}, 12, 0); }}, 144);
       },
       "tensor 0 \"a\": type at byte 53 is q4_K, which comes in blocks of 256, but dimension 0 is "
       "128: the file is damaged, fetch or convert it again"},
      {"q6_k_block",
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("a", {255}, 14, 0); }}, 210); },
       "tensor 0 \"a\": type at byte 45 is q6_K, which comes in blocks of 256, but dimension 0 is "
       "255: the file is damaged, fetch or convert it again"},
      {"table_cut", [](ByteWriter& w) { w.header(1, 0).string("abcdef").u32(2).u64(1).u64(1); },
       "tensor 0 \"abcdef\": type at byte 58 needs 4 bytes, 0 are left in the file: the file is "
       "damaged, fetch or convert it again"},
      {"offset_unaligned",
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("a", {1}, 0, 4); }}, 8); },
       "tensor 0 \"a\": offset at byte 49 is 4, not a multiple of the alignment 32: the file is "
       "damaged, fetch or convert it again"},
      {"offset_outside",
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("a", {1}, 0, 64); }}, 32); },
       "tensor 0 \"a\": offset at byte 49 is 64 with 4 bytes of data, the data section at byte 64 "
       "has 32 bytes: the file is incomplete, fetch it again"},
      {"offset_wraps",  // offset + size = 2^64 + small
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("a", {16}, 0, -32); }}, 64); },
       "tensor 0 \"a\": offset at byte 49 is 18446744073709551584 with 64 bytes of data, the data "
       "section at byte 64 has 64 bytes: the file is incomplete, fetch it again"},
      {"data_cut",
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("a", {256}, 12, 0); }}, 143); },
       "tensor 0 \"a\": offset at byte 49 is 0 with 144 bytes of data, the data section at byte 64 "
       "has 143 bytes: the file is incomplete, fetch it again"},
      {"data_absent", [](ByteWriter& w) { w.header(1, 0).tensor("a", {1}, 0, 0); },
       "tensor 0 \"a\": offset at byte 49 is 0 with 4 bytes of data, the data section at byte 64 "
       "has 0 bytes: the file is incomplete, fetch it again"},
      {"same_data",
       [](ByteWriter& w) {
         tensors(w,
                 {[](ByteWriter& t) { t.tensor("a", {1}, 0, 0); },
                  [](ByteWriter& t) { t.tensor("b", {1}, 0, 0); }},
                 4);
       },
       "tensor 1 \"b\": offset at byte 82 is 0, inside the data of tensor 0 \"a\", which ends at "
       "4: the file is damaged, fetch or convert it again"},
      {"overlap_backwards",
       [](ByteWriter& w) {
         tensors(w,
                 {[](ByteWriter& t) { t.tensor("late", {1}, 0, 32); },
                  [](ByteWriter& t) { t.tensor("long", {9}, 0, 0); }},
                 36);
       },
       "tensor 0 \"late\": offset at byte 52 is 32, inside the data of tensor 1 \"long\", which "
       "ends at 36: the file is damaged, fetch or convert it again"},
      {"foreign_type_inside",
       [](ByteWriter& w) {
         tensors(w,
                 {[](ByteWriter& t) { t.tensor("a", {16}, 0, 0); },
                  [](ByteWriter& t) { t.tensor("b", {256}, 10, 32); }},
                 64);
       },
       "tensor 1 \"b\": offset at byte 82 is 32, inside the data of tensor 0 \"a\", which ends at "
       "64: the file is damaged, fetch or convert it again"},
      {"bytes_after_data",
       [](ByteWriter& w) { tensors(w, {[](ByteWriter& t) { t.tensor("a", {1}, 0, 0); }}, 33); },
       "end of the data at byte 68 is followed by 29 bytes, fewer than the alignment 32 are "
       "allowed: the file is damaged, fetch or convert it again"},
      {"alignment_moves_data",
       [](ByteWriter& w) {
         w.header(1, 1).string("general.alignment").type(GgufType::kU32).u32(1u << 31);
         w.tensor("a", {1}, 0, 0).zeros(64);
       },
       "tensor 0 \"a\": offset at byte 82 is 0 with 4 bytes of data, the data section at byte "
       "2147483648 has 0 bytes: the file is incomplete, fetch it again"},
  };
}

class Malformed : public testing::TestWithParam<Case> {};

TEST_P(Malformed, GivesItsMessage) {
  ByteWriter writer;
  GetParam().write(writer);
  try {
    GgufFile::from_memory(writer.bytes(), "m.gguf");
    ADD_FAILURE() << "the file was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(std::string(error.what()), "m.gguf: " + GetParam().message);
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Header, Malformed, testing::ValuesIn(header_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Metadata, Malformed, testing::ValuesIn(metadata_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Tensors, Malformed, testing::ValuesIn(tensor_cases()), case_name);

}  // namespace
}  // namespace assay
