#include "gates/cli/source_edit.h"

#include <fmt/format.h>

#include <cctype>

#include "engine/core/error.h"

namespace assay {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (true) {
    const std::size_t at = text.find(separator, from);
    parts.push_back(trimmed(text.substr(from, at - from)));
    if (at == std::string::npos) return parts;
    from = at + 1;
  }
}

std::string with_word(const std::string& text, const std::string& word,
                      const std::string& replacement) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, from)) {
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    result += text.substr(from, at - from) + (whole ? replacement : word);
    from = end;
  }
  return result + text.substr(from);
}

}  // namespace

std::vector<VariantLine> variant_lines(const std::string& source) {
  constexpr std::string_view kStart = "ASSAY_VARIANT(";
  std::vector<VariantLine> lines;
  for (std::size_t at = source.find(kStart); at != std::string::npos;
       at = source.find(kStart, at + 1)) {
    if (at != 0 && source[at - 1] != '\n') continue;  // a mention in a comment
    const std::size_t end = source.find(");", at);
    if (end == std::string::npos) continue;
    const std::size_t inside = at + kStart.size();
    const std::string text = source.substr(inside, end - inside);
    const std::size_t first = text.find(',');
    const std::size_t second = text.find(',', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    lines.push_back({at, end + 2, trimmed(text.substr(0, first)),
                     trimmed(text.substr(first + 1, second - first - 1)),
                     trimmed(text.substr(second + 1))});
  }
  return lines;
}

std::string to_string(const VariantLine& line) {
  const std::string one =
      fmt::format("ASSAY_VARIANT({}, {}, {});", line.symbol, line.arguments, line.function);
  if (one.size() <= 100) return one;
  return fmt::format("ASSAY_VARIANT({}, {},\n              {});", line.symbol, line.arguments,
                     line.function);
}

std::optional<std::string> with_parameters(const std::string& function, const VariantName& from,
                                           const VariantName& id) {
  if (from.params == id.params) return function;
  if (from.params.size() != id.params.size()) return std::nullopt;
  const std::size_t open = function.find('<');
  if (open == std::string::npos || !function.ends_with('>')) return std::nullopt;
  const std::string inside = function.substr(open + 1, function.size() - open - 2);
  const std::vector<std::string> arguments = split(inside, ',');
  if (arguments.size() != from.params.size()) return std::nullopt;
  std::string changed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool same_key = from.params[i].first == id.params[i].first;
    if (!same_key || arguments[i] != from.params[i].second) return std::nullopt;
    changed += (i == 0 ? "" : ", ") + id.params[i].second;
  }
  return function.substr(0, open) + "<" + changed + ">";
}

std::string with_namespace(const std::string& text, const std::string& from_mechanism,
                           const std::string& mechanism) {
  constexpr std::string_view kStart = "namespace assay::";
  const std::size_t at = text.find(kStart);
  if (at == std::string::npos) return text;
  const std::size_t begin = at + kStart.size();
  std::size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  const std::string old_name = text.substr(begin, end - begin);
  std::string name = old_name;
  if (name.ends_with(from_mechanism)) {
    name = name.substr(0, name.size() - from_mechanism.size()) + mechanism;
  } else {
    name += "_" + mechanism;
  }
  return with_word(text, old_name, name);
}

std::string info_entry(const std::string& text, const std::string& id, const std::string& file,
                       std::size_t* at) {
  const std::size_t begin = text.find("{\"" + id + "\"");
  if (begin == std::string::npos) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: no entry {{\"{}\", ...}} to copy: write the new variant's entry by "
                    "hand (kernels/README.md)",
                    file, id));
  }
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '"' && text[i - 1] != '\\') quoted = !quoted;
    if (quoted) continue;
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) {
      *at = begin;
      return text.substr(begin, i - begin + 1);
    }
  }
  throw Error(ErrorKind::kUsage, fmt::format("{}: the entry of {} has no end", file, id));
}

std::string inserted_above(const std::string& text, const std::string& marker, std::size_t from,
                           const std::string& lines, const std::string& file) {
  const std::size_t at = text.find(marker, from);
  if (at == std::string::npos) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: the comment `{}` is gone, so there is no place for the new line: "
                            "put it back at the end of the list",
                            file, marker));
  }
  const std::size_t line = text.rfind('\n', at) + 1;
  return text.substr(0, line) + lines + text.substr(line);
}

}  // namespace assay
