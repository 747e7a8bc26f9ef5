#include "engine/manifest/ptx_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace assay {
namespace {

// Lines that say how or from what the text was made.
bool is_about_the_source(std::string_view line) {
  for (const std::string_view start : {".loc", ".file", ".version", ".target", ".address_size"}) {
    if (line.starts_with(start)) return true;
  }
  return false;
}

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// Words (names, directives and instructions with their dots, numbers) and single signs.
void split_line(std::string_view line, std::vector<std::string>& tokens) {
  std::size_t at = 0;
  while (at < line.size()) {
    const char c = line[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    if (starts_name(c) || continues_name(c) || c == '.') {
      while (end < line.size() && (continues_name(line[end]) || line[end] == '.')) ++end;
    }
    tokens.emplace_back(line.substr(at, end - at));
    at = end;
  }
}

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find("//"));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (!is_about_the_source(line)) split_line(line, tokens);
  }
  return tokens;
}

// The name that an item defines: behind `.entry`, behind `.func` and its result, or the first name
// of a variable's declaration.
std::string name_of(const std::vector<std::string>& item) {
  int depth = 0;
  for (const std::string& token : item) {
    if (token == "(") ++depth;
    if (token == ")") --depth;
    if (depth == 0 && starts_name(token[0])) return token;
    if (token == "{" || token == "=") break;
  }
  return "";
}

bool has(const std::vector<std::string>& item, std::string_view token) {
  return std::find(item.begin(), item.end(), token) != item.end();
}

// "$L__BB12_3" -> "$L__BB_3", "__local_depot12" -> "__local_depot": the 12th function of the file.
std::string without_function_number(const std::string& name) {
  for (const std::string_view start : {"$L__BB", "__local_depot"}) {
    if (!name.starts_with(start)) continue;
    const std::size_t end = name.find_first_not_of("0123456789", start.size());
    return std::string(start) + (end == std::string::npos ? "" : name.substr(end));
  }
  return name;
}

// A name that holds another one, as parameters hold their function's, with an ordinal for it.
constexpr std::string_view kParameter = "_param_";

}  // namespace

PtxModule::PtxModule(std::string_view text) {
  Tokens item;
  int depth = 0;
  for (std::string& token : tokens_of(text)) {
    const bool opens = token == "{", closes = token == "}", ends = token == ";";
    depth += opens ? 1 : closes ? -1 : 0;
    item.push_back(std::move(token));
    const bool is_function = has(item, ".entry") || has(item, ".func") || has(item, ".section");
    if (depth == 0 && (ends || (closes && is_function))) add_item(std::exchange(item, {}));
  }
}

void PtxModule::add_item(Tokens item) {
  if (item[0] == ".section") return;
  const std::string name = name_of(item);
  if (name.empty()) return;
  Tokens& known = items_[name];
  if (known.empty() || has(item, "{")) known = std::move(item);  // a definition beats a declaration
}

std::optional<std::string> PtxModule::code(const std::string& kernel) const {
  const auto start = items_.find(kernel);
  if (start == items_.end() || !has(start->second, ".entry")) return std::nullopt;
  std::map<std::string, std::size_t> ordinals{{kernel, 0}};
  std::vector<std::string> found{kernel};
  std::map<std::string, std::size_t> locals;  // mangled names of variables inside functions
  const auto item_text = [&](const std::string& token) -> std::string {
    const std::size_t parameter = token.find(kParameter);
    const std::string owner = token.substr(0, parameter);
    if (items_.contains(owner)) {
      const bool outside = has(items_.at(owner), ".extern") && has(items_.at(owner), ".func");
      if (outside) return "outside " + token;
      const auto [at, added] = ordinals.try_emplace(owner, found.size());
      if (added) found.push_back(owner);
      return fmt::format("@{}{}", at->second,
                         parameter == std::string::npos ? "" : token.substr(parameter));
    }
    if (!token.starts_with("_Z")) return without_function_number(token);
    return fmt::format("local {}", locals.try_emplace(token, locals.size()).first->second);
  };
  std::string text;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string function = found[i];
    for (const std::string& token : items_.at(function)) text += item_text(token) + ' ';
    text += '\n';
  }
  return text;
}

}  // namespace assay
