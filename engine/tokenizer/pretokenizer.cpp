#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/tokenizer/pretokenizer.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "engine/core/error.h"
#include "engine/tokenizer/utf8.h"

namespace assay {
namespace {

// What llama.cpp does under a name.
struct Named {
  std::string_view name;
  std::array<const char*, 2> patterns;  // the second may be null
  bool whole_words = false;
  bool adds_bos = false;
};

// The classes are spelled out where PCRE2's would differ from llama.cpp's, which are Unicode 15.1:
// PCRE2 counts U+180E as a space, Unicode has not since 2013; and PCRE2 10.42 has the tables of
// Unicode 14, so the letters and numbers that 15.0 and 15.1 added stand here by range (they do no
// harm with newer tables). Contractions list both cases: (?i) would take the long s, U+017F, for s.
#define ASSAY_SPACE R"(\t-\r\x{85}\p{Z})"
#define ASSAY_LETTER                                                                   \
  R"(\p{L}\x{1123f}\x{11240}\x{11f02}\x{11f04}-\x{11f10}\x{11f12}-\x{11f33}\x{1342f})" \
  R"(\x{13441}-\x{13446}\x{1b132}\x{1b155}\x{1df25}-\x{1df2a}\x{1e030}-\x{1e06d})"     \
  R"(\x{1e4d0}-\x{1e4eb}\x{2b739}\x{2ebf0}-\x{2ee5d}\x{31350}-\x{323af})"
#define ASSAY_NUMBER R"(\p{N}\x{11f50}-\x{11f59}\x{1d2c0}-\x{1d2d3}\x{1e4f0}-\x{1e4f9})"
#define ASSAY_CONTRACTION R"((?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]))"
#define ASSAY_WORD R"(|[^\r\n)" ASSAY_LETTER ASSAY_NUMBER "]?[" ASSAY_LETTER "]+"
#define ASSAY_SIGNS_AND_SPACES                                 \
  "| ?[^" ASSAY_SPACE ASSAY_LETTER ASSAY_NUMBER R"(]+[\r\n]*)" \
  "|[" ASSAY_SPACE R"(]*[\r\n]+)"                              \
  "|[" ASSAY_SPACE "]+(?![^" ASSAY_SPACE                       \
  "])"                                                         \
  "|[" ASSAY_SPACE "]+"
constexpr const char* kGpt2 = "'s|'t|'re|'ve|'m|'ll|'d| ?[" ASSAY_LETTER "]+| ?[" ASSAY_NUMBER
                              "]+| ?[^" ASSAY_SPACE ASSAY_LETTER ASSAY_NUMBER "]+|[" ASSAY_SPACE
                              "]+(?![^" ASSAY_SPACE "])|[" ASSAY_SPACE "]+";
constexpr const char* kLlama3 =
    ASSAY_CONTRACTION ASSAY_WORD "|[" ASSAY_NUMBER "]{1,3}" ASSAY_SIGNS_AND_SPACES;
constexpr const char* kQwen2 =
    ASSAY_CONTRACTION ASSAY_WORD "|[" ASSAY_NUMBER "]" ASSAY_SIGNS_AND_SPACES;
constexpr const char* kNumber = "[" ASSAY_NUMBER "]";

constexpr Named like_llama3(std::string_view name) {
  return {.name = name, .patterns = {kLlama3, nullptr}, .whole_words = true, .adds_bos = true};
}
constexpr std::array<Named, 7> kPretokenizers{{
    {.name = "gpt-2", .patterns = {kGpt2, nullptr}},
    like_llama3("llama-bpe"),
    like_llama3("llama3"),
    like_llama3("llama-v3"),
    {.name = "qwen2", .patterns = {kQwen2, nullptr}},
    {.name = "deepseek-r1-qwen", .patterns = {kQwen2, nullptr}},
    {.name = "smollm", .patterns = {kNumber, kGpt2}},
}};
#undef ASSAY_SIGNS_AND_SPACES
#undef ASSAY_WORD
#undef ASSAY_CONTRACTION
#undef ASSAY_NUMBER
#undef ASSAY_LETTER
#undef ASSAY_SPACE

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* pointer) const { Free(pointer); }
};
using Code = std::unique_ptr<pcre2_code, Freed<pcre2_code, pcre2_code_free>>;
using MatchContext =
    std::unique_ptr<pcre2_match_context, Freed<pcre2_match_context, pcre2_match_context_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Freed<pcre2_match_data, pcre2_match_data_free>>;

[[noreturn]] void fail(std::string_view what, int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  throw Error(ErrorKind::kInternal, fmt::format("pre-tokeniser: {} failed ({}): report this", what,
                                                reinterpret_cast<const char*>(text.data())));
}

Code compiled(const char* pattern) {
  int error = 0;
  PCRE2_SIZE at = 0;
  Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED,
                          PCRE2_UTF | PCRE2_UCP, &error, &at, nullptr));
  if (!code) fail("compiling the pattern", error);
  // Without a JIT (or with memory that may not be executed) pcre2_match interprets the pattern.
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  return code;
}

using Words = std::vector<std::string_view>;

// Appends the matches, and what lies between them, to `words`.
void cut(std::string_view subject, const pcre2_code* code, pcre2_match_data* data,
         pcre2_match_context* context, Words& words) {
  std::size_t start = 0;
  while (start < subject.size()) {
    const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(subject.data()),
                                  subject.size(), start, PCRE2_NO_UTF_CHECK, data, context);
    if (found < 0 && found != PCRE2_ERROR_NOMATCH) fail("matching", found);
    std::size_t begin = subject.size();
    std::size_t end = subject.size();
    if (found > 0) {
      begin = pcre2_get_ovector_pointer(data)[0];
      end = pcre2_get_ovector_pointer(data)[1];
    }
    if (begin > start) words.push_back(subject.substr(start, begin - start));
    if (end > begin) words.push_back(subject.substr(begin, end - begin));
    start = end;
  }
}

}  // namespace

// Immutable after construction, so that threads may share it.
struct Pretokenizer::Patterns {
  const Named* named;
  std::vector<Code> codes;
  MatchContext context;
};

Pretokenizer::Pretokenizer(std::unique_ptr<Patterns> patterns) : patterns_(std::move(patterns)) {}
Pretokenizer::Pretokenizer(Pretokenizer&&) noexcept = default;
Pretokenizer& Pretokenizer::operator=(Pretokenizer&&) noexcept = default;
Pretokenizer::~Pretokenizer() = default;

bool Pretokenizer::whole_words() const {
  return patterns_->named->whole_words;
}

bool Pretokenizer::adds_bos() const {
  return patterns_->named->adds_bos;
}

std::string Pretokenizer::known_names() {
  std::string names;
  for (const Named& known : kPretokenizers) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", known.name);
  }
  return names;
}

std::optional<Pretokenizer> Pretokenizer::named(std::string_view name) {
  for (const Named& known : kPretokenizers) {
    if (known.name != name) continue;
    auto patterns = std::make_unique<Patterns>();
    patterns->named = &known;
    for (const char* pattern : known.patterns) {
      if (pattern != nullptr) patterns->codes.push_back(compiled(pattern));
    }
    patterns->context.reset(pcre2_match_context_create(nullptr));
    // Long runs of spaces backtrack once per character: linear, but beyond the default limit.
    pcre2_set_match_limit(patterns->context.get(), std::numeric_limits<std::uint32_t>::max());
    return Pretokenizer(std::move(patterns));
  }
  return std::nullopt;
}

std::vector<std::string_view> Pretokenizer::split(std::string_view text) const {
  const std::string subject = without_surrogates(text);
  Words words;
  if (!subject.empty()) words.push_back(subject);
  for (const Code& code : patterns_->codes) {
    const MatchData data(pcre2_match_data_create_from_pattern(code.get(), nullptr));
    Words finer;
    for (const std::string_view word : words) {
      cut(word, code.get(), data.get(), patterns_->context.get(), finer);
    }
    words = std::move(finer);
  }
  // The same stretches of the text itself.
  for (std::string_view& word : words) {
    word = text.substr(static_cast<std::size_t>(word.data() - subject.data()), word.size());
  }
  return words;
}

}  // namespace assay
