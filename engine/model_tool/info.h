// What is in a model file, and whether this engine can run it.
//
// Everything but the last answer is read leniently: a file of an unknown architecture, or without a
// vocabulary, is described as far as it goes.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/gguf/file.h"

namespace assay {

// All tensors of one element type.
struct TypeShare {
  std::string name;  // "q4_K"; of a type that the engine does not compute with too
  int tensors = 0;
  std::optional<std::uint64_t>
      bytes;  // of data; nothing where the type's blocks are not known here
};

struct ModelInfo {
  std::string file;
  std::uint64_t bytes = 0;
  std::uint32_t version = 0;
  std::uint64_t alignment = 0;
  std::string architecture, name;                             // empty when the file has none
  std::uint64_t parameters = 0;                               // elements of all tensors
  std::map<std::string, std::optional<std::uint64_t>> shape;  // "layers", "heads", ...
  std::vector<TypeShare> types;                               // most bytes first
  std::string tokenizer, pretokenizer;                        // as the file names them
  std::uint64_t tokens = 0;
  std::string obstacle;  // why this engine cannot run it; empty: it can
};

ModelInfo read_info(const GgufFile& file);
nlohmann::json to_json(const ModelInfo& info);
std::string to_text(const ModelInfo& info);

}  // namespace assay
