// For tests and the fuzz target: a small file that has everything, and a reader that asks for
// everything.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/core/error.h"
#include "engine/gguf/file.h"
#include "engine/gguf/gguf_builder.h"

namespace assay {

// Valid, 1,100 bytes: scalars, strings, arrays, nested ones, three tensor types, alignment 8.
inline std::vector<std::byte> small_file() {
  ByteWriter nested;
  nested.type(GgufType::kArray).u64(2);
  nested.type(GgufType::kString).u64(1).string("ab");
  nested.type(GgufType::kBool).u64(2).u8(0).u8(1);
  GgufBuilder builder;
  builder.alignment(8)
      .u32("general.alignment", 8)
      .boolean("flag", true)
      .strings("words", {"x", "", "yz"})
      .array<float>("numbers", GgufType::kF32, {1.0f, 2.0f})
      .encoded("nested", GgufType::kArray, nested)
      .tensor("a", {2, 3}, 0, std::vector<std::byte>(24))
      .tensor("b", {32}, 8, std::vector<std::byte>(34))
      .tensor("c", {256, 2}, 14, std::vector<std::byte>(420));
  return builder.build();
}

// An accessor may refuse a value's type; nothing else may happen.
inline void ask(const std::function<void()>& accessor) {
  try {
    accessor();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
  }
}

// Touches every byte that the file's accessors hand out; the sum keeps the reads alive.
inline std::size_t read_everything(const GgufFile& file) {
  std::size_t sum = 0;
  const auto add_value = [&sum](const GgufValue& value, const auto& self) -> void {
    for (const std::byte b : value.bytes) sum += static_cast<std::size_t>(b);
    sum += value.as_u64().value_or(0) + value.type_text().size();
    sum += static_cast<std::size_t>(value.as_bool().value_or(false));
    sum += value.as_string().value_or("").size();
    value.each_element([&self](const GgufValue& element) {
      self(element, self);
      return true;
    });
  };
  for (const GgufMetadata::Entry& entry : file.metadata().entries()) {
    add_value(entry.value, add_value);
    ask([&] { sum += file.get_u32(entry.key); });
    ask([&] { sum += static_cast<std::size_t>(file.get_i32(entry.key)); });
    ask([&] { sum += file.get_f32(entry.key) > 0 ? 1 : 0; });
    ask([&] { sum += file.get_ints(entry.key).size(); });
    ask([&] { sum += file.get_floats(entry.key).size(); });
    ask([&] { sum += file.get_bools(entry.key).size(); });
    ask([&] { sum += file.get_strings(entry.key).size(); });
  }
  for (const GgufTensor& tensor : file.tensors()) {
    sum += tensor.shape_text().size();
    ask([&] {
      for (const std::byte b : file.require_tensor(tensor.name).data) {
        sum += static_cast<std::size_t>(b);
      }
    });
  }
  return sum;
}

}  // namespace assay
