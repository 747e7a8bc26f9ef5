#include "engine/tokenizer/control_texts.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

// Bytes spell U+FF5C and U+2581.
constexpr auto kEnds = std::to_array<std::string_view>({
    "<|im_end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<end_of_turn>",
    "<end_of_utterance>",
    "</s>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<eos>",
    "<\xef\xbd\x9c"
    "end\xe2\x96\x81of\xe2\x96\x81sentence\xef\xbd\x9c>",
    // Paddings and separators of code models: what follows belongs to another file.
    "<|fim_pad|>",
    "<fim-pad>",
    "<fim_pad>",
    "<PAD>",
    "[PAD]",
    "<|fim_repo|>",
    "<fim-repo>",
    "<REPO>",
    "<|repo_name|>",
    "<reponame>",
    "<|file_sep|>",
});

constexpr auto kFillInTheMiddle = std::to_array<std::string_view>({
    "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>",      "<|code_prefix|>",
    "<|prefix|>",     "<PRE>",        "\xe2\x96\x81<PRE>",

    "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>",      "<|code_suffix|>",
    "<|suffix|>",     "<SUF>",        "\xe2\x96\x81<SUF>",

    "<|fim_middle|>", "<fim-middle>", "<fim_middle>",      "<|code_middle|>",
    "<|middle|>",     "<MID>",        "\xe2\x96\x81<MID>",
});

template <typename List>
bool lists(const List& list, std::string_view token) {
  return std::find(list.begin(), list.end(), token) != list.end();
}

}  // namespace

bool ends_text(std::string_view token) {
  return lists(kEnds, token);
}

bool is_control(std::string_view token) {
  return lists(kEnds, token) || lists(kFillInTheMiddle, token);
}

}  // namespace assay
