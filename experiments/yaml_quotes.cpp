#include "experiments/yaml_quotes.h"

#include <algorithm>

namespace assay {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Goes over the text scalar by scalar.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<OpenQuote> find() {
    while (skip_to_scalar()) {
      const char c = text_[at_];
      if (c == '#') {
        to_line_end();
      } else if (c == '|' || c == '>') {
        skip_block();
      } else if (c == '"' || c == '\'') {
        const std::size_t end = quote_end(text_, at_);
        if (end == kNoEnd) return OpenQuote{at_, false};
        if (spans_lines(at_, end) && !may_follow(end)) return OpenQuote{at_, true};
        at_ = end;
      } else {
        skip_plain();
      }
    }
    return std::nullopt;
  }

 private:
  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }

  // To where a scalar or a comment starts; false at the end.
  bool skip_to_scalar() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '[' || c == '{') ++depth_;
      if (c == ']' || c == '}') depth_ = std::max(depth_ - 1, 0);
      const bool indicator = std::string_view("[]{},").find(c) != std::string_view::npos ||
                             ((c == '-' || c == ':' || c == '?') && is_space(peek(1)));
      if (!is_space(c) && !indicator) return true;
    }
    return false;
  }

  void to_line_end() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  std::size_t indent_at(std::size_t line) const {
    const std::size_t first = text_.find_first_not_of(' ', line);
    return std::min(first, text_.size()) - line;
  }

  // Over the lines of a block scalar: blank ones, and those deeper than the line that opens it.
  void skip_block() {
    const std::size_t opening = text_.rfind('\n', at_) + 1;  // npos + 1 is 0
    const std::size_t outer = indent_at(opening);
    to_line_end();
    while (at_ < text_.size()) {
      const std::size_t line = at_ + 1;
      const std::size_t end = std::min(text_.find('\n', line), text_.size());
      const bool blank =
          text_.substr(line, end - line).find_first_not_of(" \r") == std::string_view::npos;
      if (line >= text_.size() || (!blank && indent_at(line) <= outer)) return;
      at_ = end;
    }
  }

  void skip_plain() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n' || (c == ':' && is_space(peek(1))) || (c == ' ' && peek(1) == '#')) return;
      if (depth_ > 0 && std::string_view("[]{},").find(c) != std::string_view::npos) return;
    }
  }

  bool spans_lines(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin).find('\n') != std::string_view::npos;
  }

  // Whether what comes behind a closing quote can stand there.
  bool may_follow(std::size_t end) const {
    const std::size_t next = text_.find_first_not_of(" \t\r", end);
    return next == std::string_view::npos ||
           std::string_view("\n,]}:#").find(text_[next]) != std::string_view::npos;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;  // of flow lists and maps
};

}  // namespace

std::size_t quote_end(std::string_view text, std::size_t offset) {
  const char quote = text[offset];
  for (std::size_t i = offset + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      const bool doubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
      if (!doubled) return i + 1;
      ++i;
    }
  }
  return kNoEnd;
}

std::optional<OpenQuote> open_quote(std::string_view text) {
  return Reader(text).find();
}

}  // namespace assay
