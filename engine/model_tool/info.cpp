#include "engine/model_tool/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "engine/core/error.h"
#include "engine/core/or_null.h"
#include "engine/core/printable.h"
#include "engine/gguf/type_name.h"
#include "engine/model/model.h"
#include "engine/tokenizer/tokenizer.h"

namespace assay {
namespace {

// What an accessor gives, or the fallback where the file's value has another type.
template <typename T>
T leniently(const std::function<std::optional<T>()>& find, T fallback) {
  try {
    return find().value_or(fallback);
  } catch (const Error&) {
    return fallback;
  }
}

std::string text_at(const GgufFile& file, std::string_view key) {
  return leniently<std::string>(
      [&]() -> std::optional<std::string> {
        const auto text = file.find_string(key);
        return text ? std::optional<std::string>(*text) : std::nullopt;
      },
      {});
}

std::optional<std::uint64_t> number_at(const GgufFile& file, const std::string& key) {
  return leniently<std::optional<std::uint64_t>>(
      [&]() -> std::optional<std::optional<std::uint64_t>> { return file.find_u64(key); }, {});
}

// Why a worker would refuse to load the file; empty when it would not.
std::string obstacle_to_running(const GgufFile& file) {
  try {
    const Model model = read_model(file);
    const std::optional<Tokenizer> tokenizer = Tokenizer::from_gguf(file);
    if (!tokenizer || tokenizer->vocab() <= model.hyper.vocab) return {};
    return fmt::format("the vocabulary has {} tokens, the embedding has rows for {}",
                       tokenizer->vocab(), model.hyper.vocab);
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::string prefix = file.name() + ": ";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }
}

std::vector<TypeShare> shares_of(const GgufFile& file) {
  std::vector<TypeShare> shares;
  for (const GgufTensor& tensor : file.tensors()) {
    const std::string name = name_of_type(tensor.type_number);
    auto share = std::find_if(shares.begin(), shares.end(),
                              [&](const TypeShare& s) { return s.name == name; });
    if (share == shares.end()) share = shares.insert(share, {name, 0, {}});
    ++share->tensors;
    if (tensor.dtype) share->bytes = share->bytes.value_or(0) + tensor.data.size();
  }
  std::stable_sort(shares.begin(), shares.end(), [](const TypeShare& a, const TypeShare& b) {
    return a.bytes.value_or(0) > b.bytes.value_or(0);
  });
  return shares;
}

constexpr std::array<std::pair<const char*, const char*>, 8> kShape{{
    {"layers", "block_count"},
    {"embedding", "embedding_length"},
    {"feed_forward", "feed_forward_length"},
    {"heads", "attention.head_count"},
    {"kv_heads", "attention.head_count_kv"},
    {"head_dim", "attention.key_length"},
    {"context", "context_length"},
    {"vocab", "vocab_size"},
}};

void complete_shape(const GgufFile& file, ModelInfo& info) {
  auto& shape = info.shape;
  if (!shape["kv_heads"]) shape["kv_heads"] = shape["heads"];
  if (!shape["head_dim"] && shape["embedding"] && shape["heads"].value_or(0) > 0) {
    shape["head_dim"] = *shape["embedding"] / *shape["heads"];
  }
  const GgufTensor* embedding = file.find_tensor("token_embd.weight");
  if (embedding != nullptr) shape["vocab"] = embedding->ne[1];
}

std::string kind_of(const std::string& tokenizer) {
  if (tokenizer == "gpt2") return "byte-level BPE";
  if (tokenizer == "llama") return "SentencePiece";
  if (tokenizer == "bert") return "WordPiece";
  if (tokenizer == "t5") return "unigram";
  return "a kind without a name here";
}

std::string tokenizer_text(const ModelInfo& info) {
  if (info.tokenizer.empty() || info.tokenizer == "none" || info.tokenizer == "no_vocab") {
    return "none: prompts are token numbers";
  }
  return fmt::format("{} ({}), pre-tokeniser {}, {} tokens", assay::quoted(info.tokenizer),
                     kind_of(info.tokenizer),
                     info.pretokenizer.empty() ? "not named" : assay::quoted(info.pretokenizer),
                     info.tokens);
}

}  // namespace

ModelInfo read_info(const GgufFile& file) {
  ModelInfo info;
  info.file = file.name();
  info.bytes = file.size();
  info.version = file.version();
  info.alignment = file.alignment();
  info.architecture = text_at(file, "general.architecture");
  info.name = text_at(file, "general.name");
  for (const GgufTensor& tensor : file.tensors()) info.parameters += tensor.elements();
  for (const auto& [name, key] : kShape) {
    info.shape[name] = number_at(file, info.architecture + "." + key);
  }
  complete_shape(file, info);
  info.types = shares_of(file);
  info.tokenizer = text_at(file, "tokenizer.ggml.model");
  info.pretokenizer = text_at(file, "tokenizer.ggml.pre");
  const GgufValue* tokens = file.metadata().find("tokenizer.ggml.tokens");
  if (tokens != nullptr && tokens->type == GgufType::kArray) info.tokens = tokens->count;
  info.obstacle = obstacle_to_running(file);
  return info;
}

nlohmann::json to_json(const ModelInfo& info) {
  nlohmann::json shape, types = nlohmann::json::array();
  for (const auto& [name, value] : info.shape) {
    shape[name] = or_null(value);
  }
  for (const TypeShare& share : info.types) {
    types.push_back(
        {{"type", share.name}, {"tensors", share.tensors}, {"bytes", or_null(share.bytes)}});
  }
  return {{"file", info.file},
          {"bytes", info.bytes},
          {"version", info.version},
          {"alignment", info.alignment},
          {"architecture", info.architecture},
          {"name", info.name},
          {"parameters", info.parameters},
          {"shape", shape},
          {"types", types},
          {"tokenizer",
           {{"model", info.tokenizer}, {"pre", info.pretokenizer}, {"tokens", info.tokens}}},
          {"runs", info.obstacle.empty()},
          {"obstacle", info.obstacle}};
}

std::string to_text(const ModelInfo& info) {
  const auto shape = [&info](const char* name) {
    const auto& value = info.shape.at(name);
    return value ? std::to_string(*value) : std::string("?");
  };
  const auto named = [](const std::string& text) {
    return text.empty() ? std::string("not named") : assay::quoted(text);
  };
  std::string text = fmt::format(
      "file          {}\nbytes         {}\nformat        GGUF version {}, alignment {}\n"
      "architecture  {}\nname          {}\nparameters    {}\n"
      "shape         {} layers, width {}, {} heads and {} KV heads of {}, feed-forward {}, "
      "vocabulary {}\ncontext       {}\ntokeniser     {}\n",
      printable(info.file), info.bytes, info.version, info.alignment, named(info.architecture),
      named(info.name), info.parameters, shape("layers"), shape("embedding"), shape("heads"),
      shape("kv_heads"), shape("head_dim"), shape("feed_forward"), shape("vocab"), shape("context"),
      tokenizer_text(info));
  for (const TypeShare& share : info.types) {
    text += fmt::format("tensors       {:>4} of {:<8}{}\n", share.tensors, share.name,
                        share.bytes ? fmt::format("{:>12} bytes", *share.bytes)
                                    : std::string("  size not known here"));
  }
  return text + fmt::format("runs here     {}\n",
                            info.obstacle.empty() ? "yes" : "no: " + printable(info.obstacle));
}

}  // namespace assay
